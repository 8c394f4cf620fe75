"""deploy/: the files agree with the package and with what Ray and Kubernetes accept, as far as that is told offline."""

import re
from typing import Any

import pytest
import yaml

from tests.runs import ROOT

DEPLOY = ROOT / "deploy"
RAY_JOB = {  # fields of a RayJob's spec that we use, by KubeRay's CRD
    "entrypoint": str,
    "submissionMode": str,
    "backoffLimit": int,
    "shutdownAfterJobFinishes": bool,
    "ttlSecondsAfterFinished": int,
    "rayClusterSpec": dict,
}
RAY_CLUSTER = {"rayVersion": str, "authOptions": dict, "headGroupSpec": dict, "workerGroupSpecs": list}
GROUP = {
    "groupName": str,
    "replicas": int,
    "minReplicas": int,
    "maxReplicas": int,
    "rayStartParams": dict,
    "template": dict,
}


def pins(path: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (ROOT / path).read_text(), re.MULTILINE))


def check(value: dict[str, Any], fields: dict[str, type]) -> None:
    for key, item in value.items():
        assert key in fields, f"{key} is not a field"
        assert isinstance(item, fields[key]), key


@pytest.fixture
def job() -> dict[str, Any]:
    documents = list(yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text()))
    assert [(item["apiVersion"], item["kind"]) for item in documents] == [
        ("v1", "PersistentVolumeClaim"),
        ("ray.io/v1", "RayJob"),
    ]
    spec: dict[str, Any] = documents[1]["spec"]
    return spec


def test_the_job_has_the_fields_of_a_rayjob(job: dict[str, Any]) -> None:
    check(job, RAY_JOB)
    cluster = job["rayClusterSpec"]
    check(cluster, RAY_CLUSTER)
    head, workers = cluster["headGroupSpec"], cluster["workerGroupSpecs"]
    check(head, {"rayStartParams": dict, "template": dict})
    for group in workers:
        check(group, GROUP)
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    for group in (head, *workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values()), "text only"
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_job_is_protected_and_keeps_its_results(job: dict[str, Any]) -> None:
    cluster = job["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    assert cluster["rayVersion"] == pins("requirements.lock")["ray"]
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    (root,) = re.findall(r"outputs_root=(\S+)", job["entrypoint"])
    (container,) = cluster["headGroupSpec"]["template"]["spec"]["containers"]
    assert root in {mount["mountPath"] for mount in container["volumeMounts"]}


def test_ray_accepts_the_cluster_file() -> None:
    """With Ray's own validator, which needs no network for machines of one's own."""
    private = pytest.importorskip("ray.autoscaler._private.util")
    config = yaml.safe_load((DEPLOY / "ray-cluster.yaml").read_text())
    private.validate_config(private.prepare_config(config))
    with pytest.raises(Exception, match="clustername"):
        private.validate_config({**config, "clustername": "x"})
    for command in (*config["head_start_ray_commands"], *config["worker_start_ray_commands"]):
        assert ". deploy/node.env" in command


def test_both_lock_files_pin_the_same() -> None:
    ours, cluster = pins("requirements.lock"), pins("deploy/requirements.lock")
    assert {name: ours[name] for name in ours.keys() & cluster} == {
        name: cluster[name] for name in ours.keys() & cluster
    }
    assert {"ray", "numba", "numpy", "pyarrow", "aiohttp", "grpcio"} <= set(cluster)
    text = (DEPLOY / "requirements.lock").read_text()
    assert "://" not in text
    assert text.count("--hash=sha256:") >= len(cluster)


def test_what_the_image_copies_is_there() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)", text, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert (ROOT / source).exists(), source
    (code,) = re.findall(r'RUN python -c "(.+)"', text)
    compile(code, "Dockerfile", "exec")
    assert "from pipeline.search.engine import compile_kernels" in code

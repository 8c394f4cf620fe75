"""Self-contained pages: what may run and what may be loaded is fixed by a policy inside. Escapes whatever is put in."""

import base64
import hashlib
import html
import json
from typing import Any

POLICY = (
    "default-src 'none'; img-src data:; style-src {styles}; script-src {scripts}; base-uri 'none'; form-action 'none'"
)


def page(title: str, style: str, body: str, data: Any = None, script: str = "") -> str:
    """An HTML document with one style sheet, one data block and one script, and no way to load anything else.

    `body` and `style` are ours and trusted; the title and the data may hold any characters. The style attributes of
    plots are allowed, further scripts are not.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = POLICY.format(styles="'unsafe-inline'", scripts=f"'sha256-{digest}'" if script else "'none'")
    block = f'<script type="application/json" id="data">{json_in_script(data)}</script>\n' if data is not None else ""
    code = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n{block}{code}</body>\n</html>\n"
    )


def json_in_script(value: Any) -> str:
    """JSON that cannot end its script element nor begin a comment in it, whatever the words are."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text

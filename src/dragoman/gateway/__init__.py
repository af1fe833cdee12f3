"""Gateway: any client, any model. A client's request in, a provider's request out, and back.

    config       values: routes, keys, limits            settings     the same from TOML
    surface/     what each client protocol looks like: paths, errors, lists of models
    exchange     one exchange without sockets: bytes in, bytes out
    app          ASGI                                    in_process   transports for SDK clients
"""

from __future__ import annotations

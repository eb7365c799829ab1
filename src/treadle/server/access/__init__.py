"""Who may do what over HTTP, how much of it, and what they are told where they may not.

A request passes `AllowedHosts` and `SameOrigin`, then `Entrance.enter` (who asks), `authorize` (may they) and
`Admission` (is there room), in this order and before the status line. Whatever fails becomes a `refusal`.
"""

-- What was sent to runs. A message is kept when it is taken, so that its key stays used.
create table messages (
    number integer primary key autoincrement,
    scope text not null,
    run_id text not null,
    key text not null,
    kind text not null,
    body blob not null,
    taken integer not null default 0
);
create unique index messages_key on messages (scope, run_id, key);
create index messages_open on messages (scope, run_id, number) where not taken;

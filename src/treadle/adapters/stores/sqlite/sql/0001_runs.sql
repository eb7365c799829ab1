-- The scope is the first word of every key: nothing is found without it.

create table runs (
    number integer primary key,      -- the order of creation
    scope text not null,
    run_id text not null,
    thread_id text not null,
    agent text not null,
    plan text not null,
    status text not null,
    epoch integer not null default 0,
    worker text,
    next_seq integer not null default 0,     -- where the log ended when the run last came to rest;
    next_index integer not null default 0,   -- the rows themselves say where it ends since
    created_s real not null,
    changed_s real not null,
    due_s real,                      -- since or from when it may be claimed; null: by nobody
    wake_at_s real,
    key text,
    digest text not null,
    loose integer not null default 0 -- 1: at rest, and its passages are not joined yet
);
create unique index runs_id on runs (scope, run_id);
create unique index runs_key on runs (scope, key) where key is not null;
create index runs_newest on runs (scope, number);
create index runs_thread on runs (scope, thread_id, number);
create index runs_due on runs (due_s) where due_s is not null;
create index runs_final on runs (changed_s) where status in ('done', 'error', 'cancelled');
create index runs_loose on runs (number) where loose;

-- What was asked stands apart, so that a lease is renewed without writing it again.
create table requests (
    scope text not null,
    run_id text not null,
    request blob not null,
    properties blob not null,
    primary key (scope, run_id)
) without rowid;

-- One row a stretch: at most one a delta while the run lives, one a passage at rest.
create table rows (
    scope text not null,
    run_id text not null,
    idx integer not null,
    seq integer not null,
    events integer not null,
    records integer not null,
    trailing integer not null,       -- facts behind its last event
    epoch integer not null,
    at_s real not null,
    kind text not null,
    version integer not null,        -- of the form of `body`
    body blob not null,
    primary key (scope, run_id, idx, seq)
) without rowid;

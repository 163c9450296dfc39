-- The objects that `kalends apply` created. `--prune` deletes no others. `id` names an application, an endpoint, an
-- invitation or the member who accepted it. `client_id` is the application of an endpoint.
CREATE TABLE managed (
  id        TEXT PRIMARY KEY,
  client_id TEXT
);

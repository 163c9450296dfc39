-- Who a person is at an OpenID issuer (people/identity-store.ts). Instants are epoch milliseconds.

-- `role_source` says where the person's role comes from: 'assigned' by an owner, or 'claims' of each sign-in.
CREATE TABLE person_identity (
  issuer      TEXT NOT NULL,
  subject     TEXT NOT NULL,
  person_id   TEXT NOT NULL UNIQUE REFERENCES person ON DELETE CASCADE,
  role_source TEXT NOT NULL CHECK (role_source IN ('assigned', 'claims')),
  created_at  BIGINT NOT NULL,
  used_at     BIGINT,
  PRIMARY KEY (issuer, subject)
);

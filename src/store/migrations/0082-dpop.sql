-- The thumbprint of the DPoP key (RFC 9449 §10) that a code is bound to: requested by `dpop_jkt`, or proved at /par.
ALTER TABLE authorization_request ADD COLUMN dpop_jkt TEXT;
ALTER TABLE token_family ADD COLUMN dpop_jkt TEXT;

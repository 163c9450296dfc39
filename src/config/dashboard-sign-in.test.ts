/** The settings of how people come into the dashboard. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ConfigError, loadConfig } from './config.ts';

const ISSUER = {
  KALENDS_DASHBOARD_OIDC_ISSUER: 'https://login.example/realms/staff/',
  KALENDS_DASHBOARD_OIDC_CLIENT_ID: 'kalends',
  KALENDS_DASHBOARD_OIDC_CLIENT_SECRET: 's3cret',
};
const loadProblems = (env: Readonly<Record<string, string>>): string => {
  try {
    loadConfig(env);
  } catch (reason) {
    if (reason instanceof ConfigError) return reason.problems.join('\n');
    throw reason;
  }
  return '';
};

describe('the settings of single sign-on', () => {
  it('single sign-on is off by default, and passwords and passkeys are on', () => {
    assert.deepEqual(loadConfig({}).dashboardSignIn, {
      singleSignOn: undefined,
      usesPasswords: true,
      usesPasskeys: true,
    });
  });

  it('an issuer is kept unchanged, and rules map claim values to roles', () => {
    const allowed =
      'groups=cn=admins,ou=staff:owner; https://example.com/team=The A team:developer(acme, other);\nemail_domain=Example.COM:viewer;email=ada@example.com:developer';
    const { singleSignOn } = loadConfig({
      ...ISSUER,
      KALENDS_DASHBOARD_OIDC_ALLOWED: allowed,
    }).dashboardSignIn;
    assert.equal(singleSignOn?.issuer, 'https://login.example/realms/staff/');
    assert.deepEqual(singleSignOn?.rules, [
      { claim: 'groups', value: 'cn=admins,ou=staff', role: 'owner', clientIds: undefined },
      {
        claim: 'https://example.com/team',
        value: 'The A team',
        role: 'developer',
        clientIds: ['acme', 'other'],
      },
      { claim: 'email_domain', value: 'example.com', role: 'viewer', clientIds: undefined },
      { claim: 'email', value: 'ada@example.com', role: 'developer', clientIds: undefined },
    ]);
  });

  it('everything that is missing or wrong is reported together', () => {
    const problems = loadProblems({
      KALENDS_DASHBOARD_OIDC_ISSUER: 'https://login.example/?tenant=1',
      KALENDS_DASHBOARD_OIDC_ALLOWED: 'groups=admins',
      KALENDS_DASHBOARD_SIGN_IN: 'password,magic',
      KALENDS_PORT: 'many',
    });
    for (const part of [
      'KALENDS_DASHBOARD_OIDC_ISSUER must not have a query',
      'KALENDS_DASHBOARD_OIDC_CLIENT_ID is missing, but KALENDS_DASHBOARD_OIDC_ISSUER is set',
      'KALENDS_DASHBOARD_OIDC_CLIENT_SECRET is missing',
      'KALENDS_DASHBOARD_OIDC_ALLOWED has the invalid rule "groups=admins": rules are CLAIM=VALUE:ROLE',
      'KALENDS_DASHBOARD_SIGN_IN must be password, passkey',
      'KALENDS_PORT must be',
    ])
      assert.ok(problems.includes(part), part);
  });

  it('refuses to switch off the last way to sign in', () => {
    for (const ways of ['none', 'passkey'])
      assert.match(loadProblems({ KALENDS_DASHBOARD_SIGN_IN: ways }), /single sign-on is not set up/);
    const { usesPasswords, usesPasskeys } = loadConfig({
      ...ISSUER,
      KALENDS_DASHBOARD_SIGN_IN: 'passkey',
    }).dashboardSignIn;
    assert.deepEqual([usesPasswords, usesPasskeys], [false, true]);
  });

  it('only developers can be limited to applications', () => {
    const allowed = { ...ISSUER, KALENDS_DASHBOARD_OIDC_ALLOWED: 'groups=a:owner(acme)' };
    assert.match(loadProblems(allowed), /lists applications for the role owner/);
  });
});

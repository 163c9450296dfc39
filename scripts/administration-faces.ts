/**
 * The forms of the dashboard by the id of their operation, and the forms and commands without one.
 * test/administration/faces.test.ts compares them with the forms and commands that exist.
 */

/** The path of each form below `/dashboard`, by the id of the operation that does the same. */
export const OPERATION_FORMS: Readonly<Record<string, readonly string[]>> = {
  createApplication: ['/applications/new'],
  updateApplication: ['/applications/:clientId', '/applications/:clientId/security'],
  deleteApplication: ['/applications/:clientId/delete'],
  rotateApplicationSecret: ['/applications/:clientId/credentials/rotate'],
  syncUser: ['/applications/:clientId/user/sync'],
  revokeUser: ['/applications/:clientId/user/revoke'],
  deleteUser: ['/applications/:clientId/user/delete'],
  createInvitation: ['/people/invite'],
  withdrawInvitation: ['/people/invitations/:invitationId/withdraw'],
  updateMember: ['/people/:personId/role'],
  removeMember: ['/people/:personId/remove'],
  endMemberSessions: ['/people/:personId/sessions/end'],
  removeMemberPasskey: ['/people/:personId/passkeys/:passkeyId/remove'],
  disconnectMemberIdentity: ['/people/:personId/single-sign-on/remove'],
  createResetLink: ['/people/:personId/reset'],
  createAdminKey: ['/system/admin-keys/new'],
  rotateAdminKey: ['/system/admin-keys/:keyId/rotate'],
  revokeAdminKey: ['/system/admin-keys/:keyId/revoke'],
};

/** The beginnings of forms that never have an operation: signing in, the own account, the theme and the playground. */
export const FORMS_WITHOUT_OPERATION: readonly string[] = [
  ...['/sign-in', '/sign-out', '/join', '/confirm', '/account', '/theme', '/playground'],
];

/** The commands that never have one: they run on the machine itself. */
export const COMMANDS_WITHOUT_OPERATION: readonly string[] = [
  ...['serve', 'sandbox', 'listen', 'restore', 'keys rotate-master', 'completion'],
];

/** The forms whose operation is still missing. */
export const MISSING_FORMS: readonly string[] = [
  '/applications/:clientId/branding',
  '/applications/:clientId/branding/logo',
  '/applications/:clientId/branding/logo/remove',
  '/applications/:clientId/branding/dark-logo',
  '/applications/:clientId/branding/dark-logo/remove',
  '/applications/:clientId/verification/submit',
  '/applications/:clientId/verification/cancel',
  '/applications/:clientId/verification/approve',
  '/applications/:clientId/verification/request-changes',
  '/applications/:clientId/verification/withdraw',
  '/deliveries/:clientId/replay',
  '/deliveries/:clientId/:messageId/signature',
  '/deliveries/:clientId/:messageId/replay',
  '/applications/:clientId/providers/google',
  '/applications/:clientId/providers/google/remove',
  '/applications/:clientId/providers/google/check',
  '/applications/:clientId/providers/microsoft',
  '/applications/:clientId/providers/microsoft/remove',
  '/applications/:clientId/providers/microsoft/check',
  '/applications/:clientId/webhooks/keys',
  '/applications/:clientId/webhooks/new',
  '/applications/:clientId/webhooks/:endpointId',
  '/applications/:clientId/webhooks/:endpointId/test',
  '/applications/:clientId/webhooks/:endpointId/pause',
  '/applications/:clientId/webhooks/:endpointId/resume',
  '/applications/:clientId/webhooks/:endpointId/rotate',
  '/applications/:clientId/webhooks/:endpointId/remove',
  '/applications/:clientId/user/disconnect',
  '/applications/:clientId/user/reconnect-link',
  '/applications/:clientId/user/export',
  '/system/check',
  '/system/alerts/test',
  '/system/backup',
  '/system/signing-keys/rotate',
  '/system/webhook-keys/rotate',
];

/** The commands whose operation is still missing. */
export const MISSING_COMMANDS: readonly string[] = [
  ...['setup google', 'setup microsoft', 'client load'],
  'client verification show',
  'client verification list',
  'client verification submit',
  'client verification approve',
  'client verification request-changes',
  'client verification cancel',
  'client verification withdraw',
  ...['user calendars', 'user reconnect-link', 'user disconnect', 'user export', 'connection list'],
  'keys rotate',
  'webhook add',
  'webhook update',
  'webhook test',
  'webhook pause',
  'webhook resume',
  'webhook rotate-secret',
  'webhook remove',
  'webhook rotate-keys',
  'webhook own-keys',
  'webhook deliveries',
  'webhook show',
  'webhook replay',
  ...['requests list', 'audit list', 'audit export', 'alert list', 'alert test', 'backup', 'doctor'],
];

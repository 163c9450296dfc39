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
  updateBranding: ['/applications/:clientId/branding'],
  setLogo: ['/applications/:clientId/branding/logo', '/applications/:clientId/branding/dark-logo'],
  removeLogo: [
    '/applications/:clientId/branding/logo/remove',
    '/applications/:clientId/branding/dark-logo/remove',
  ],
  addEndpoint: ['/applications/:clientId/webhooks/new'],
  updateEndpoint: ['/applications/:clientId/webhooks/:endpointId'],
  removeEndpoint: ['/applications/:clientId/webhooks/:endpointId/remove'],
  pauseEndpoint: ['/applications/:clientId/webhooks/:endpointId/pause'],
  resumeEndpoint: ['/applications/:clientId/webhooks/:endpointId/resume'],
  testEndpoint: ['/applications/:clientId/webhooks/:endpointId/test'],
  rotateEndpointSecret: ['/applications/:clientId/webhooks/:endpointId/rotate'],
  setWebhookKeys: ['/applications/:clientId/webhooks/keys'],
  rotateWebhookKeys: ['/system/webhook-keys/rotate'],
  rotateSigningKeys: ['/system/signing-keys/rotate'],
  replayDelivery: ['/deliveries', '/deliveries/:clientId/:messageId/replay'],
  replayDeliveries: ['/deliveries/:clientId/replay'],
  submitForReview: ['/applications/:clientId/verification/submit'],
  cancelReview: ['/applications/:clientId/verification/cancel'],
  approveSubmission: ['/applications/:clientId/verification/approve'],
  requestChanges: ['/applications/:clientId/verification/request-changes'],
  withdrawVerification: ['/applications/:clientId/verification/withdraw'],
  setProviderApp: ['/applications/:clientId/providers/google', '/applications/:clientId/providers/microsoft'],
  removeProviderApp: [
    '/applications/:clientId/providers/google/remove',
    '/applications/:clientId/providers/microsoft/remove',
  ],
  checkProviderApp: [
    '/applications/:clientId/providers/google/check',
    '/applications/:clientId/providers/microsoft/check',
  ],
  checkDeliverySignature: ['/deliveries/:clientId/:messageId/signature'],
  disconnectAccount: ['/applications/:clientId/user/disconnect'],
  createReconnectLink: ['/applications/:clientId/user/reconnect-link'],
  exportUser: ['/applications/:clientId/user/export'],
  runChecks: ['/system/check'],
  createBackup: ['/system/backup'],
  testAlerts: ['/system/alerts/test'],
};

/** The beginnings of forms that never have an operation: signing in, the member's own account, the theme and the playground. */
export const FORMS_WITHOUT_OPERATION: readonly string[] = [
  ...['/sign-in', '/sign-out', '/join', '/confirm', '/account', '/theme', '/playground'],
];

/** The commands that never have one: they run on the machine itself. */
export const COMMANDS_WITHOUT_OPERATION: readonly string[] = [
  ...['serve', 'sandbox', 'listen', 'migrate', 'restore', 'keys rotate-master', 'completion'],
];

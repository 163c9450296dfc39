/** Alerts and their notices. Instants are epoch milliseconds. */

export const ALERT_KINDS = [
  'endpoint_unhealthy',
  'provider_app_refused',
  'accounts_need_action',
  'check_failed',
  'database_unavailable',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** A problem, as one evaluation found it. Its texts are one line each and have no secrets. */
export type AlertCondition = {
  readonly kind: AlertKind;
  /** Identifies the problem among those of its kind. */
  readonly subject: string;
  readonly clientId?: string | undefined;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
  /** How to fix it. */
  readonly action: string;
  readonly url?: string | undefined;
};

export type Alert = AlertCondition & {
  readonly alertId: string;
  readonly openedAt: number;
  readonly resolvedAt?: number | undefined;
};

export type AlertChannelName = 'mail' | 'webhook';
export type AlertRecipient = { readonly channel: AlertChannelName; readonly recipient: string };
export type AlertEvent = 'opened' | 'resolved';
export type AlertNotice = { readonly alert: Alert; readonly event: AlertEvent };

/** Unhealthy accounts of an application with one reason. */
export type UnhealthyCount = {
  readonly clientId: string;
  readonly reason: string;
  readonly count: number;
};

/** Counts that conditions of alerts need. */
export interface AlertCounts {
  /** Counts unhealthy accounts by application and reason. */
  countUnhealthy(): Promise<readonly UnhealthyCount[]>;
  countAccounts(clientId: string): Promise<number>;
}

export interface AlertStore extends AlertCounts {
  /** Claims a run of `name` unless one was claimed at or after `before`. Of concurrent calls, one returns true. */
  claimRun(
    name: 'alerts' | 'alert_checks',
    times: { readonly now: number; readonly before: number },
  ): Promise<boolean>;
  /**
   * Compares alerts of `kinds` with what an evaluation found. The second evaluation in a row that finds a problem opens
   * its alert, the second that does not resolves it. Each adds one notice in the same transaction for each recipient, and
   * for each developer of the application who has a confirmed address and gets alerts by mail.
   */
  applyEvaluation(
    conditions: readonly AlertCondition[],
    terms: {
      readonly kinds: readonly AlertKind[];
      /** Kinds of which not all problems were read: their open alerts stay open. */
      readonly partial?: readonly AlertKind[];
      readonly recipients: readonly AlertRecipient[];
      /** Whether mail can be sent, so that the developers of an alert's application get it too. */
      readonly mailsDevelopers?: boolean;
      readonly now: number;
    },
  ): Promise<void>;
  /**
   * Returns unsent notices of a recipient, the oldest first, or none before its next message may be sent. Of concurrent
   * calls one gets them; the others, and all calls until `nextAt`, get none.
   */
  claimNotices(
    recipient: AlertRecipient,
    terms: { readonly now: number; readonly nextAt: number; readonly limit: number },
  ): Promise<readonly AlertNotice[]>;
  /**
   * Returns the addresses of developers with unsent notices, the longest waiting first, without those in `configured`.
   * Deletes unsent notices of addresses that no longer get them.
   */
  pendingDevelopers(configured: readonly string[], limit: number): Promise<readonly string[]>;
  /** Marks notices as sent. */
  settleNotices(recipient: AlertRecipient, notices: readonly AlertNotice[], now: number): Promise<void>;
  /** Gives up unsent notices created before `before`, and returns their number by channel. */
  giveUpNotices(before: number, now: number): Promise<ReadonlyMap<AlertChannelName, number>>;
  /** Lists opened alerts, open ones first, then the newest. */
  listAlerts(limit: number): Promise<readonly Alert[]>;
  /** Deletes alerts that were resolved before then. Returns their number. */
  deleteOldAlerts(before: number): Promise<number>;
}

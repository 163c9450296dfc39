/** What is wrong with an account, in the words of the dashboard. */
import type { HealthReason } from '../calendars/health-reason.ts';
import { dashboardMessages as messages } from '../dashboard/messages/messages.ts';

/** What mends it, as a sentence for operators. */
export const mendingOf = (reason: HealthReason): string => messages.text(`reason.${reason}.mends`);

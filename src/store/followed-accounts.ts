/** Accounts whose changes somebody waits for: the application has an endpoint, or the user's feed is read. */

/** A condition over `a`, an account; not of those that are not their user's yet. */
export const FOLLOWED_ACCOUNT = `
  EXISTS (SELECT 1 FROM account_group AS fg WHERE fg.group_id = a.group_id AND fg.expires_at IS NULL)
  AND (EXISTS (SELECT 1 FROM webhook_endpoint AS fe WHERE fe.client_id = a.client_id AND fe.state = 'active')
       OR EXISTS (SELECT 1 FROM application_user AS fu
                   WHERE fu.client_id = a.client_id AND fu.user_id = a.user_id AND fu.feed_id IS NOT NULL))`;

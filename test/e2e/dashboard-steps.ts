/** Steps of a first owner in the dashboard, in a real browser. */
import type { Page } from 'playwright-core';

/** Goes from the setup link to the overview. */
export async function becomeOwner(page: Page, setupUrl: string): Promise<void> {
  await page.goto(setupUrl);
  await page.getByLabel('Your name').first().fill('Ada');
  await page.getByLabel('E-mail address').first().fill('ada@example.com');
  await page.locator('input[type=password]').first().fill('seven kettles sing at noon');
  await page.getByRole('button', { name: 'Set up and sign in' }).click();
  await page.getByRole('link', { name: 'Create application' }).or(page.locator('nav')).first().waitFor();
}

/** Creates an application and ends on the page that shows its secret. */
export async function createApplication(
  page: Page,
  { name, webhookUrl }: { readonly name: string; readonly webhookUrl: string },
): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/dashboard/applications/new`);
  await page.locator('#name').fill(name);
  await page.locator('#redirect_uris').fill('http://localhost:3000/callback');
  await page.locator('#webhook_url').fill(webhookUrl);
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('link', { name: 'Open playground' }).waitFor();
}

/** Connects Google as one of the sandbox's people, on an application's page of the playground. */
export async function connectTestUser(page: Page, person: string): Promise<Page> {
  const popupOpens = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Connect a calendar' }).click();
  const popup = await popupOpens;
  for (const name of ['Connect Google', person, 'Continue', 'Allow'])
    await popup.getByRole('button', { name, exact: true }).click();
  await page.getByText('The test user is connected').waitFor();
  return popup;
}

/**
 * A user who goes through the Connect pages in one language, by the names of their controls, over HTTP and without
 * scripts. This is a hundred times faster than Chromium, which then shows only the pages to be checked
 * (connect-viewer.ts).
 */
import { type MessageKey, type Messages, messagesFor } from '../../src/connect/messages/messages.ts';
import { type Browser, openBrowser, type Page, type Pressing, textOf } from './browser.ts';
import { adaIn, type TourSite } from './connect-tour-site.ts';
import { type Application, authorizeUrl, type CalendarLogin, exchange } from './flow.ts';

type Values = Readonly<Record<string, string | number>>;

export type Start = {
  readonly application?: Application;
  readonly parameters?: Readonly<Record<string, string>>;
};

type GoogleChoices = {
  /** The walker's own account by default. */
  readonly email?: string;
  readonly decision?: 'allow' | 'untick' | 'cancel';
  /** Returned instead of the code that Google gave. */
  readonly code?: string;
};

/** Labels of fields, as keys, with the text that is typed in them. */
type Typed = Partial<Readonly<Record<MessageKey, string>>>;

export class TourWalker {
  readonly site: TourSite;
  readonly messages: Messages;
  readonly browser: Browser;
  /** The user of the current chapter, whose accounts are the only ones on its pages. */
  userId = '';
  /** The transaction of the current flow. */
  transaction = '';
  private application: Application | undefined;

  /** The header of the proxy in front of the program, with the walker's address. */
  private readonly headers = { 'x-forwarded-for': '' };
  private readonly home: string;

  constructor(site: TourSite, language: string) {
    this.site = site;
    this.messages = messagesFor(language);
    walkers += 1;
    this.home = `10.0.${walkers >> 8}.${walkers & 255}`;
    this.standIn('own');
    this.browser = openBrowser(this.headers);
  }

  /** Sets the network of the next requests: the walker's own, or one that all walkers share. */
  standIn(network: 'own' | 'crowd'): void {
    this.headers['x-forwarded-for'] = network === 'own' ? this.home : '10.1.0.1';
  }

  get language(): string {
    return this.messages.language;
  }

  /** Returns the page that is open. */
  get page(): Page {
    return this.browser.page();
  }

  get login(): CalendarLogin {
    return this.site.login;
  }

  text(key: MessageKey, values?: Values): string {
    return this.messages.text(key, values);
  }

  /** Opens an address of the program, or another. */
  async open(address: string | URL): Promise<void> {
    await this.browser.open(new URL(address, this.site.program.url));
    await this.goOn();
  }

  /** Starts a flow for the chapter's user; the selection page follows. */
  async start({ application = this.site.applications.plain, parameters = {} }: Start = {}): Promise<void> {
    const named = { lng: this.language, ...parameters };
    this.application = application;
    await this.open(authorizeUrl(application, { userId: this.userId, parameters: named }));
    this.transaction = this.page.url.searchParams.get('transaction') ?? '';
  }

  /** Presses the button with the text of this key. */
  async press(key: MessageKey, values?: Values, how?: Pressing): Promise<void> {
    await this.pressNamed(this.text(key, values), {}, how);
  }

  /** Presses the first button with the text of this key and any account. */
  async pressForAccount(key: MessageKey): Promise<void> {
    const [before = '', after = ''] = this.text(key, { account: '\0' }).split('\0').map(RegExp.escape);
    await this.pressNamed(new RegExp(`^${before}.+${after}$`));
  }

  /** Follows the first link with the text of this key and any account. */
  async followForAccount(key: MessageKey): Promise<void> {
    const words = textOf(this.text(key, { account: '\0' }));
    const [before = '', after = ''] = words.split('\0').map(RegExp.escape);
    const named = new RegExp(`^${before}(.+)${after}$`);
    const names = [...this.page.body.matchAll(/<a\b[^>]* aria-label="([^"]*)"/g)].map(([, name = '']) =>
      named.exec(textOf(name)),
    );
    const account = names.find((found) => found !== null)?.[1] ?? '';
    await this.follow(this.text(key, { account }));
  }

  /** Redeems the code as the application, which makes the linked accounts the user's. */
  async redeem(): Promise<void> {
    if (this.application === undefined) throw new Error('No flow was started');
    const answer = await exchange(this.application, this.userId);
    if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }

  async follow(link: string): Promise<void> {
    await this.browser.follow(link);
    await this.goOn();
  }

  /** Types into the form of a provider with passwords, and sends it. */
  async connect(typed: Typed): Promise<void> {
    const labelled = Object.entries(typed).map(([key, value]) => [this.text(key as MessageKey), value]); // a key of Typed
    await this.pressNamed(this.text('form.connect'), Object.fromEntries(labelled));
  }

  async signInToCalDav({ server, username, password }: CalendarLogin): Promise<void> {
    await this.connect({ 'form.server': server, 'form.username': username, 'form.password': password });
  }

  /** Goes to the form with the server's address, from the selection page. */
  async openServerForm(): Promise<void> {
    await this.press('selection.connect', { provider: 'CalDAV' });
    await this.follow(this.text('form.by_server'));
  }

  /** Links ada's account at the real CalDAV server, from the selection page. */
  async linkCalDav(login: CalendarLogin = this.login): Promise<void> {
    await this.openServerForm();
    await this.signInToCalDav(login);
  }

  /** Signs in on Google's own pages as a new user there, from the selection page. */
  async signInToGoogle(choices?: GoogleChoices): Promise<void> {
    await this.press('selection.connect', { provider: 'Google' });
    await this.chooseAtGoogle(choices);
  }

  /** Signs in at Google from its first page on. */
  async chooseAtGoogle({
    email = adaIn(this.language),
    decision = 'allow',
    code,
  }: GoogleChoices = {}): Promise<void> {
    await this.site.google.manual.revokeAccess(email);
    await this.pressNamed(email);
    const last = decision === 'cancel' ? 'Cancel' : 'Continue';
    const { destination } = await this.browser.press(last, {}, { untick: decision === 'untick' });
    if (code !== undefined) destination?.searchParams.set('code', code);
    await this.goOn();
  }

  /** Signs in at Microsoft as a new user there, from the selection page. */
  async signInToMicrosoft(email: string): Promise<void> {
    await this.site.microsoft.manual.revokeAccess(email);
    await this.press('selection.connect', { provider: 'Microsoft' });
    await this.pressNamed(email);
    await this.pressNamed(/^(Accept|Return to the application.*)$/);
  }

  async pressNamed(
    button: string | RegExp,
    typed: Readonly<Record<string, string>> = {},
    how?: Pressing,
  ): Promise<void> {
    await this.browser.press(button, typed, how);
    await this.goOn();
  }

  /** Follows redirects to a provider and back, until one leads to the application. */
  private async goOn(): Promise<void> {
    const { program, google, microsoft } = this.site;
    const ours = [program.url, google.issuer, microsoft.issuer].map((url) => new URL(url).origin);
    for (let { destination: to } = this.page; to && ours.includes(to.origin); to = this.page.destination) {
      await this.browser.open(to);
    }
  }
}

let walkers = 0;

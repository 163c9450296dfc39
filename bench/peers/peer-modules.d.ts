/** The little that the bench and tests use of peers which come without types. */

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export type Payload = Record<string, unknown> & { grantId?: string; uid?: string; userCode?: string };
  export interface Adapter {
    upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<Payload | undefined>;
    findByUserCode(userCode: string): Promise<Payload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  type Saved = { save(): Promise<string> };
  type GrantRecord = Saved & {
    addResourceScope(resource: string, scope: string): void;
    addOIDCScope(scope: string): void;
  };

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: object,
    ): Promise<void>;
    Client: { find(clientId: string): Promise<object | undefined> };
    Grant: new (
      values: Record<string, unknown>,
    ) => GrantRecord;
    AuthorizationCode: new (
      values: Record<string, unknown>,
    ) => Saved;
  }
}

declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export type Request = IncomingMessage & {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly query: Record<string, string>;
    readonly body: unknown;
  };
  export type Response = ServerResponse & {
    status(code: number): Response;
    set(headers: Record<string, string>): Response;
    json(body: unknown): Response;
  };
  type Handler = (request: Request, response: Response) => unknown;
  type Middleware = { readonly brand: 'middleware' };
  export interface Application extends RequestListener {
    disable(setting: string): void;
    use(middleware: Middleware): void;
    post(path: string, handler: Handler): void;
    get(path: string, handler: Handler): void;
    listen(port: number, host: string, ready: () => void): { address(): { port: number } };
  }
  function express(): Application;
  namespace express {
    function urlencoded(options: { extended: boolean }): Middleware;
  }
  export default express;
}

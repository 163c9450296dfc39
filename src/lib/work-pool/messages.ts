/** What a pool and its threads say to each other. */

/** `start` begins a task, `next` asks for its next part. */
export type ToThread =
  | { readonly type: 'start'; readonly name: string; readonly input: unknown }
  | { readonly type: 'next' };

export type FromThread =
  | { readonly type: 'part'; readonly part: unknown }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

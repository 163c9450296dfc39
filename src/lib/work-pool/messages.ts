/** The messages between a pool and its threads. */

/** `start` begins a task, `next` requests its next part. */
export type ToThread =
  | { readonly type: 'start'; readonly name: string; readonly input: unknown }
  | { readonly type: 'next' };

/** `ready` comes once, before everything else: the thread has loaded its script. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'part'; readonly part: unknown }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

export type ThreadAnswer = Exclude<FromThread, { type: 'ready' }>;

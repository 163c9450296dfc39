/** The steps of a plan: from what exists to what a manifest says. */
import type { Members } from '../../http/fields.ts';
import { type Change, differences, type Part, pick, type Report } from './manifest.ts';
import type { AdminOperation } from './operation.ts';

/** An operation with its fields, besides those of the application. */
export type Call = { readonly operation: AdminOperation; readonly fields: Members };

export type Step = {
  readonly action: 'create' | 'update' | 'delete';
  /** The path in the manifest, or where the object would be. */
  readonly path: string;
  readonly changes: readonly Change[];
  /** The key of the application that it is about. */
  readonly key?: string;
  readonly calls: readonly Call[];
};

export type PlanTerms = {
  /** Returns whether an object that the manifest does not list is deleted. */
  readonly mayDelete: (object: { readonly id: string }) => boolean;
  readonly report: Report;
  /** The ids of applications by their keys in the manifest. A new application gets its id when it is created. */
  readonly clientIds: Map<string, string | undefined>;
};

/** An application of the manifest. `clientId` and `document` are undefined if it is new. */
export type Planned = Part & {
  readonly key: string;
  readonly clientId: string | undefined;
  readonly document: Members | undefined;
};

export const deletion = (path: string, operation: AdminOperation, fields: Members): Step => ({
  ...{ action: 'delete', path, changes: [], calls: [{ operation, fields }] },
});

type Target = {
  readonly key: string;
  /** The first that has a field sets it. The first one of several creates the object if it is new. */
  readonly operations: readonly AdminOperation[];
  /** The document, undefined for a new object. */
  readonly before: Members | undefined;
  /** Fields that are sent with the changed ones. */
  readonly options?: Members;
};

/** Returns the step that sets the fields that differ, if there are any. */
export function stepsFor({ path, fields }: Part, { key, operations, before, options = {} }: Target): Step[] {
  const changes = differences(fields, before);
  let changed = Object.fromEntries(changes.map(({ field }) => [field, fields[field]]));
  const calls = operations.flatMap((operation) => {
    const values = pick(changed, operation.fields);
    changed = Object.fromEntries(Object.entries(changed).filter(([name]) => !(name in values)));
    if (Object.keys(values).length === 0 && operations.length > 1) return [];
    return [
      {
        operation,
        fields: { ...pick(options, { ...operation.pathFields, ...operation.fields }), ...values },
      },
    ];
  });
  const action = before === undefined && /^(create|add)/.test(operations[0]?.id ?? '') ? 'create' : 'update';
  return changes.length === 0 ? [] : [{ action, path, key, changes, calls }];
}

/** PROPFIND (RFC 4918 §9.1) and PROPPATCH (§9.2). */
import { dav } from '../../src/providers/caldav/dav/dav-names.ts';
import { child, type XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import {
  element,
  failedCondition,
  innerXml,
  multistatus,
  type PropertyValues,
  propertyResponse,
} from './dav-answer.ts';
import type { DavContext } from './dav-context.ts';
import { allNames, isLive, propertyOf } from './live-properties.ts';
import { type DavResource, membersOf, pathOf } from './resource-tree.ts';

/** Responds to PROPFIND. An undefined `body` requests all properties. */
export function propfind(
  resource: DavResource,
  { depth, body }: { depth: string; body: XmlElement | undefined },
  context: DavContext,
): SandboxAnswer {
  const { behaviour } = context;
  if (depth === 'infinity')
    throw failedCondition(403, 'd:propfind-finite-depth', 'Listings are of one level');
  const requested = child(body, dav('prop'));
  if (requested === undefined && !behaviour.allowsAllprop)
    throw failedCondition(403, 'allprop', 'Properties have to be asked for by name');
  const onlyNames = child(body, dav('propname')) !== undefined;
  const resources = depth === '0' ? [resource] : [resource, ...membersOf(resource, behaviour)];
  return multistatus(
    resources.map((member) => {
      const names = requested?.children.map(({ name }) => name) ?? allNames(member);
      const values = readProperties(member, names, context);
      const answered = requested === undefined ? present(values, onlyNames) : values;
      return propertyResponse(pathOf(member, behaviour), answered);
    }),
  );
}

/** Returns the values of these properties of a resource. */
export function readProperties(
  resource: DavResource,
  names: readonly string[],
  context: DavContext,
): PropertyValues {
  return new Map(names.map((name) => [name, propertyOf(resource, name, context)]));
}

const present = (values: PropertyValues, onlyNames: boolean): PropertyValues =>
  new Map(
    [...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, onlyNames ? '' : value]])),
  );

/** Sets and removes properties; if clients may not change one of them, nothing changes. */
export function proppatch(resource: DavResource, body: XmlElement, { behaviour }: DavContext): SandboxAnswer {
  if (resource.type !== 'calendar')
    throw failedCondition(403, 'd:need-privileges', 'Only calendars are described');
  if (resource.calendar.readOnly)
    throw failedCondition(403, 'd:need-privileges', 'This calendar is read only');
  const changes = body.children.flatMap((change) =>
    (child(change, dav('prop'))?.children ?? []).map((property) => ({
      property,
      sets: change.name === dav('set'),
    })),
  );
  const isRefused = changes.some(({ property }) => isLive(property.name));
  const { properties } = resource.calendar;
  for (const { property, sets } of isRefused ? [] : changes) {
    if (sets) properties.set(property.name, innerXml(property));
    else properties.delete(property.name);
  }
  const outcome = ({ name }: XmlElement) => {
    if (!isRefused) return '200 OK';
    return isLive(name) ? '403 Forbidden' : '424 Failed Dependency';
  };
  const propstats = changes.map(
    ({ property }) =>
      `<d:propstat><d:prop>${element(property.name)}</d:prop><d:status>HTTP/1.1 ${outcome(property)}</d:status></d:propstat>`,
  );
  return multistatus([
    `<d:response><d:href>${pathOf(resource, behaviour)}</d:href>${propstats.join('')}</d:response>`,
  ]);
}

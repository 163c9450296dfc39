/**
 * Of the Kubernetes API (v1, apps/v1, policy/v1; as of 1.32), the fields that deploy/kubernetes.yaml uses or is likely to
 * use, each with its type there. Anything else is refused, as `kubectl apply --validate=strict` does.
 */
import { type TSchema, Type } from 'typebox';

const strict = (fields: Record<string, TSchema>, optional: Record<string, TSchema> = {}): TSchema => {
  const others = Object.entries(optional).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Type.Object({ ...fields, ...Object.fromEntries(others) }, { additionalProperties: false });
};
const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const flag = Type.Boolean();
const oneOf = (...words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));
const list = (item: TSchema) => Type.Array(item, { minItems: 1 });
/** A name of RFC 1123. */
const name = Type.String({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 });
/** Of labels, data and resources: texts only, so that an unquoted number is found. */
const texts = Type.Record(Type.String(), text);
const quantity = Type.String({ pattern: '^[0-9]+(m|Ki|Mi|Gi)?$' });
const countOrPercent = Type.Union([count, Type.String({ pattern: '^[0-9]+%$' })]);
const port = Type.Integer({ minimum: 1, maximum: 65_535 });
const portOrName = Type.Union([port, name]);

const selector = strict({ matchLabels: texts });
const metadata = strict({ name }, { labels: texts, annotations: texts, namespace: name });
const probe = strict(
  { httpGet: strict({ path: text, port: portOrName }) },
  {
    periodSeconds: count,
    timeoutSeconds: count,
    failureThreshold: count,
    successThreshold: count,
    initialDelaySeconds: count,
  },
);
const container = strict(
  { name, image: Type.String({ pattern: '.:[^:]+$' }) },
  {
    args: list(text),
    command: list(text),
    imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    ports: list(strict({ containerPort: port }, { name, protocol: oneOf('TCP', 'UDP') })),
    envFrom: list(strict({}, { configMapRef: strict({ name }), secretRef: strict({ name }) })),
    env: list(strict({ name: text }, { value: text, valueFrom: Type.Object({}) })),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    lifecycle: strict({ preStop: strict({ sleep: strict({ seconds: count }) }) }),
    resources: strict({}, { requests: Type.Record(text, quantity), limits: Type.Record(text, quantity) }),
    securityContext: strict(
      {},
      {
        allowPrivilegeEscalation: flag,
        readOnlyRootFilesystem: flag,
        capabilities: strict({}, { drop: list(text), add: list(text) }),
      },
    ),
    volumeMounts: list(strict({ name, mountPath: text }, { readOnly: flag, subPath: text })),
  },
);
const volume = strict(
  { name },
  {
    secret: strict({ secretName: name }, { defaultMode: Type.Integer({ minimum: 0, maximum: 0o777 }) }),
    emptyDir: strict({}, { medium: text, sizeLimit: quantity }),
    persistentVolumeClaim: strict({ claimName: name }),
  },
);
const podSpec = strict(
  { containers: list(container) },
  {
    automountServiceAccountToken: flag,
    enableServiceLinks: flag,
    terminationGracePeriodSeconds: count,
    securityContext: strict(
      {},
      {
        runAsNonRoot: flag,
        runAsUser: count,
        runAsGroup: count,
        fsGroup: count,
        seccompProfile: strict({ type: oneOf('RuntimeDefault', 'Unconfined') }),
      },
    ),
    topologySpreadConstraints: list(
      strict({
        maxSkew: count,
        topologyKey: text,
        whenUnsatisfiable: oneOf('ScheduleAnyway', 'DoNotSchedule'),
        labelSelector: selector,
      }),
    ),
    volumes: list(volume),
  },
);
const rolling = strict({}, { maxUnavailable: countOrPercent, maxSurge: countOrPercent });

const manifest = (apiVersion: string, kind: string, body: Record<string, TSchema>): [string, TSchema] => [
  `${apiVersion} ${kind}`,
  strict({ apiVersion: Type.Literal(apiVersion), kind: Type.Literal(kind), metadata, ...body }),
];

/** By `apiVersion kind`. */
export const CLUSTER_SCHEMAS: Readonly<Record<string, TSchema>> = Object.fromEntries([
  manifest('v1', 'ConfigMap', { data: texts }),
  manifest('apps/v1', 'Deployment', {
    spec: strict(
      { selector, template: strict({ metadata: strict({ labels: texts }), spec: podSpec }) },
      {
        replicas: count,
        strategy: strict({ type: oneOf('RollingUpdate', 'Recreate') }, { rollingUpdate: rolling }),
      },
    ),
  }),
  manifest('v1', 'Service', {
    spec: strict(
      { selector: texts, ports: list(strict({ port }, { name, targetPort: portOrName })) },
      { type: oneOf('ClusterIP', 'LoadBalancer', 'NodePort') },
    ),
  }),
  manifest('policy/v1', 'PodDisruptionBudget', {
    spec: strict({ selector }, { minAvailable: countOrPercent, maxUnavailable: countOrPercent }),
  }),
]);

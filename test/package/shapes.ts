/** The shapes of the files in deploy/: which members there are, and what they hold. A misspelt member has no place. */

/**
 * A pattern or `word` is for text, a list of one shape for a list of any length. `*` is for members of any name; a member
 * whose name ends in `?` may be missing.
 */
export type Shape = 'text' | 'whole' | 'boolean' | RegExp | readonly [Shape] | { readonly [member: string]: Shape }

/** Returns what does not fit, by the path of its members. */
export function misfits(value: unknown, shape: Shape, path = ''): string[] {
  if (shape === 'text') return typeof value === 'string' ? [] : [`${path} is no text`]
  if (shape === 'whole') return Number.isInteger(value) ? [] : [`${path} is no whole number`]
  if (shape === 'boolean') return typeof value === 'boolean' ? [] : [`${path} is neither true nor false`]
  if (shape instanceof RegExp) return shape.test(String(value)) ? [] : [`${path} is not like ${shape}`]
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [`${path} is no list`]
    return value.flatMap((item, i) => misfits(item, shape[0], `${path}/${i}`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} has no members`]
  const missing = Object.keys(shape).filter((name) => !/\?$|^\*$/.test(name) && !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => `${path}/${name} is missing`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const of = shape[name] ?? shape[`${name}?`] ?? shape['*']
      return of === undefined ? [`${path}/${name} is unknown`] : misfits(member, of, `${path}/${name}`)
    }),
  ]
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

// Compose: https://github.com/compose-spec/compose-spec/blob/main/spec.md

const duration = /^\d+(s|m)$/
/** A tag that names a version: `latest` would change by itself. */
const image = /^[\w./-]+:\d[\w.-]*$/

const composeService: Shape = {
  image,
  environment: { '*': 'text' },
  secrets: ['text'],
  networks: ['text'],
  restart: /^unless-stopped$/,
  healthcheck: {
    test: ['text'],
    interval: duration,
    timeout: duration,
    retries: 'whole',
    'start_period?': duration,
  },
  security_opt: ['text'],
  stop_grace_period: duration,
  'volumes?': ['text'],
  'depends_on?': { '*': { condition: /^service_healthy$/ } },
  // An address of the machine, so that a port is not open to the network by accident.
  'ports?': [{ target: 'whole', published: 'whole', host_ip: /^127\.0\.0\.1$/ }],
  'cap_drop?': ['text'],
  'read_only?': 'boolean',
  'tmpfs?': ['text'],
}

export const composeFile: Shape = {
  name: 'text',
  services: { '*': composeService },
  networks: { '*': /^(null|\[object Object\])$/ },
  volumes: { '*': /^null$/ },
  secrets: { '*': { file: 'text' } },
}

// Kubernetes 1.27 and later: https://kubernetes.io/docs/reference/kubernetes-api/. What the manifests use of it.

const texts: Shape = { '*': 'text' }
const name = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const quantity = /^\d+(m|Ki|Mi|Gi)?$/
/** A number, or the name of a port of the pod. */
const port = /^(\d{1,5}|[a-z][-a-z0-9]{0,14})$/
const selector: Shape = { 'matchLabels?': texts }
const metadata: Shape = { name, labels: texts, 'annotations?': texts }
const timing = { 'periodSeconds?': 'whole', 'timeoutSeconds?': 'whole', 'failureThreshold?': 'whole' } as const
const httpProbe: Shape = { httpGet: { path: /^\//, port }, ...timing }
const peers: Shape = [{ 'podSelector?': selector, 'namespaceSelector?': selector }]
const openPorts: Shape = [{ port, 'protocol?': /^(TCP|UDP)$/ }]
const podRights = { runAsNonRoot: 'boolean', runAsUser: 'whole', runAsGroup: 'whole', 'fsGroup?': 'whole' } as const

const container: Shape = {
  name,
  image,
  'command?': ['text'],
  'env?': [{ name: /^[A-Z][A-Z0-9_]*$/, value: 'text' }],
  ports: [{ name: port, containerPort: 'whole' }],
  'startupProbe?': httpProbe,
  'livenessProbe?': httpProbe,
  readinessProbe: { 'httpGet?': { path: /^\//, port }, 'tcpSocket?': { port }, ...timing },
  resources: { requests: { cpu: quantity, memory: quantity }, limits: { memory: quantity } },
  securityContext: {
    allowPrivilegeEscalation: 'boolean',
    readOnlyRootFilesystem: 'boolean',
    capabilities: { drop: ['text'] },
  },
  'volumeMounts?': [{ name, mountPath: /^\//, 'readOnly?': 'boolean' }],
}

const pod: Shape = {
  automountServiceAccountToken: 'boolean',
  enableServiceLinks: 'boolean',
  'terminationGracePeriodSeconds?': 'whole',
  securityContext: { ...podRights, seccompProfile: { type: /^RuntimeDefault$/ } },
  'topologySpreadConstraints?': [
    {
      maxSkew: 'whole',
      topologyKey: 'text',
      whenUnsatisfiable: /^(DoNotSchedule|ScheduleAnyway)$/,
      labelSelector: selector,
    },
  ],
  containers: [container],
  'volumes?': [{ name, 'secret?': { secretName: name, defaultMode: 'whole' }, 'emptyDir?': { sizeLimit: quantity } }],
}

const specs: Record<string, Shape> = {
  'apps/v1 Deployment': {
    replicas: 'whole',
    revisionHistoryLimit: 'whole',
    selector,
    'strategy?': { type: /^RollingUpdate$/, rollingUpdate: { maxUnavailable: 'whole', maxSurge: 'whole' } },
    template: { metadata: { labels: texts, 'annotations?': texts }, spec: pod },
  },
  'networking.k8s.io/v1 Ingress': {
    tls: [{ hosts: ['text'], secretName: name }],
    rules: [
      {
        host: 'text',
        http: {
          paths: [{ path: /^\//, pathType: /^(Exact|Prefix)$/, backend: { service: { name, port: { name: port } } } }],
        },
      },
    ],
  },
  'networking.k8s.io/v1 NetworkPolicy': {
    podSelector: selector,
    policyTypes: [/^(Ingress|Egress)$/],
    ingress: [{ from: peers, ports: openPorts }],
    egress: [{ 'to?': peers, ports: openPorts }],
  },
  'policy/v1 PodDisruptionBudget': { maxUnavailable: 'whole', selector },
  'v1 Service': { selector: texts, ports: [{ name: port, port: 'whole', targetPort: port }] },
}

/** @throws Error for a kind that has no shape here */
export function manifestShape({ apiVersion, kind }: { apiVersion: string; kind: string }): Shape {
  const spec = specs[`${apiVersion} ${kind}`]
  if (spec === undefined) throw new Error(`There is no shape for ${apiVersion} ${kind}.`)
  return { apiVersion: 'text', kind: 'text', metadata, spec }
}

import { host, integer, line, oneOf, type Settings } from './kinds.ts'

export const operation = {
  logLevel: {
    name: 'ROLLBOOK_LOG_LEVEL',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    why: '`debug` logs more details, `warn` only what needs attention. `info` logs a line for each request.',
  },
  metricsPort: {
    name: 'ROLLBOOK_METRICS_PORT',
    kind: integer(0, 65535),
    default: undefined,
    why:
      'Set it if Prometheus should not need a key: `/metrics` is then also served on this port, to everyone who can ' +
      'reach it. With `0` the system chooses a free port. Not set: only below the base path, with the permission ' +
      '`metrics:read`.',
  },
  metricsHost: {
    name: 'ROLLBOOK_METRICS_HOST',
    kind: host,
    default: '127.0.0.1',
    why:
      'Set it if Prometheus runs on another machine: the address on which `ROLLBOOK_METRICS_PORT` listens, in your own ' +
      'network.',
  },
  leaveSeconds: {
    name: 'ROLLBOOK_LEAVE_SECONDS',
    kind: integer(0, 300),
    default: '0',
    why:
      'Set it if a load balancer in front checks `health/ready`. For this long after SIGTERM, `health/ready` returns ' +
      '503 while requests are still served, so that the load balancer stops sending requests in time. Choose a little ' +
      'more than it needs to notice.',
  },
  shutdownSeconds: {
    name: 'ROLLBOOK_SHUTDOWN_SECONDS',
    kind: integer(1, 600),
    default: '10',
    why:
      'Raise it if running requests, or your mail server, need longer to finish after SIGTERM. Keep it below the time ' +
      'that your platform waits before it kills the process.',
  },
  applyFile: {
    name: 'ROLLBOOK_APPLY_FILE',
    kind: line(4096),
    default: undefined,
    why:
      'Set it to apply a configuration file (docs/configuration-as-code.md) before the service starts to serve. A fault in ' +
      'the file stops the start with exit code 78.',
  },
  applyAllowDelete: {
    name: 'ROLLBOOK_APPLY_ALLOW_DELETE',
    kind: integer(0, 2000),
    default: '0',
    why: 'Raise it for a start at which `ROLLBOOK_APPLY_FILE` is to delete objects: how many it may.',
  },
  configFile: {
    name: 'ROLLBOOK_CONFIG_FILE',
    kind: line(4096),
    default: undefined,
    why: 'Set it to keep settings in a file of `NAME=value` lines. It can be set only in the environment.',
  },
} as const satisfies Settings

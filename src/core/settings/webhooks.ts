import { callableNetworks, integer, type Settings, switchedOn } from './kinds.ts'

export const webhooks = {
  webhookAllowedNetworks: {
    name: 'ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS',
    kind: callableNetworks,
    default: undefined,
    why:
      'Set it if receivers are in your own network. Everyone who may create endpoints can have requests sent there, so ' +
      'list only what they need. Not set: only public addresses are called.',
  },
  webhookAllowHttp: {
    name: 'ROLLBOOK_WEBHOOK_ALLOW_HTTP',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` if a receiver in your own network has no certificate. Everyone on the network path can then ' +
      'read what is sent.',
  },
  webhookTimeoutSeconds: {
    name: 'ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS',
    kind: integer(1, 60),
    default: '15',
    why: 'Raise it if receivers need longer to respond. It is better if they respond at once and do the work afterwards.',
  },
} as const satisfies Settings

/** Configuration files: what they create, change, rename, adopt and remove. */
import type { Script } from './script.ts'

export async function configuration({ admin }: Script): Promise<void> {
  const file = {
    version: 1,
    generation: 3,
    attributes: [{ name: 'shift', type: 'enum', options: ['day', 'night'] }],
    groups: [{ name: 'From a file', role: 'support' }],
    connections: [
      {
        name: 'From a file',
        kind: 'oidc',
        issuer: 'https://file.example/oidc',
        client_id: 'rollbook',
        client_secret: 'of the file',
        group_claim: 'groups',
        groups: { staff: 'From a file' },
        active: false,
      },
    ],
    provisioning: [{ name: 'From a file' }],
    webhooks: [{ url: 'https://file.example/hook', event_types: ['group.*'] }],
    keys: [{ name: 'from a file', permissions: ['users:read'] }],
    policies: { second_factor: { '*': 'optional', 'group:From a file': 'required' } },
    branding: { name: 'From a file', support_url: 'mailto:help@file.example' },
  }
  await admin('POST /configuration?dry_run=true', file)
  await admin('POST /configuration?source=1', file)
  await admin('POST /configuration', { ...file, generation: 2 }, { refused: 422 })
  const changed = {
    ...file,
    groups: [{ name: 'Renamed by a file', renamed_from: 'From a file', description: 'changed' }],
    connections: file.connections.map((one) => ({ ...one, position: 4, groups: { staff: 'Renamed by a file' } })),
    provisioning: [{ name: 'From a file', profile: 'okta' }],
    keys: [{ name: 'from a file', permissions: ['groups:read'], expires_at: '2999-01-01T00:00:00Z' }],
    policies: { second_factor: { 'group:Renamed by a file': 'required' } },
    branding: { accent_color: '#7A1F5C' },
  }
  await admin('POST /configuration?rotate=keys/from%20a%20file&rotate=provisioning/From%20a%20file', changed)
  await admin('GET /configuration', undefined, { headers: { 'if-none-match': '*' } })
  await admin('GET /configuration/history')
  await admin('GET /configuration.schema.json')
  const lists = { attributes: [], groups: [], connections: [], provisioning: [], webhooks: [], keys: [] }
  const empty = { ...lists, policies: {}, branding: {} }
  await admin('POST /configuration', { version: 1, generation: 3, ...empty }, { refused: 409 })
  await admin('POST /configuration?allow_delete=8', { version: 1, generation: 3, ...empty })
}

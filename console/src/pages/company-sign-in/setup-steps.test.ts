import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { SignInConnection, SignInFailure } from 'rollbook/client'
import { concernsOf, isDone, steps } from './setup-steps.ts'

const now = Date.parse('2026-11-30T12:00:00.000Z')
const draft = {
  kind: 'oidc',
  provisioning_domains: [] as string[],
  trusted_domains: [] as string[],
  domains: [] as string[],
  updated_at: '2026-11-30T10:00:00.000Z',
  active: false,
} as unknown as SignInConnection
const complete = {
  ...draft,
  issuer: 'https://id.example.com',
  client_id: 'x',
  has_client_secret: true,
  provisioning_domains: ['example.com'],
}
const test = (test_outcome: SignInFailure['test_outcome'], failed_at = '2026-11-30T11:00:00.000Z') =>
  [{ test_outcome, failed_at }] as SignInFailure[]

it('says what will not work after the activation, and nothing if everything will', () => {
  assert.deepEqual(concernsOf(draft, [], now), ['values_missing', 'secret_missing', 'no_domain', 'test_missing'])
  assert.deepEqual(concernsOf(complete, undefined, now), [])
  assert.deepEqual(concernsOf(complete, test('creates'), now), [])
  assert.deepEqual(concernsOf(complete, test('refused'), now), ['test_failed'])
  assert.deepEqual(concernsOf(complete, test('creates', '2026-11-30T09:00:00.000Z'), now), ['test_outdated'])
  const routed = { ...complete, provisioning_domains: [], domains: ['example.com'] }
  assert.deepEqual(concernsOf(routed, test('signs_in'), now), ['only_routed'])
  const saml = {
    ...complete,
    kind: 'saml' as const,
    entity_id: 'x',
    sso_url: 'https://id.example.com',
    certificates: ['x'],
    emails_verified: false,
    certificate_details: [
      { fingerprint: '', subject: '', not_before: '2020-01-01T00:00:00.000Z', not_after: '2025-01-01T00:00:00.000Z' },
    ],
  }
  assert.deepEqual(concernsOf(saml, test('links'), now), ['certificate_expired', 'emails_unverified'])
})

it('ticks the steps that are done, in whatever order', () => {
  const done = (connection: SignInConnection | undefined, failures?: SignInFailure[]) =>
    steps.filter((step) => isDone(step, connection, failures))
  assert.deepEqual(done(undefined), [])
  assert.deepEqual(done(draft, []), ['provider'])
  assert.deepEqual(done({ ...draft, domains: ['example.com'] }, []), ['provider', 'people'])
  assert.deepEqual(done(complete, []), ['provider', 'connect', 'people'])
  assert.deepEqual(done(complete, test('refused')), ['provider', 'connect', 'people'])
  assert.deepEqual(done(complete, test('creates')), ['provider', 'connect', 'people', 'test'])
})

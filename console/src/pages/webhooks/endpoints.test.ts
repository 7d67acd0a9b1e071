import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WebhookEndpoint } from 'rollbook/client'
import { eventFilters } from '../../../../src/record/events/types.ts'
import { changesOf, healthOf } from './endpoint-changes.ts'
import { allOf, type EventSubject, eventGroups, isEventFilter, toggled } from './event-groups.ts'

const endpoint = {
  endpoint_id: '019a9f3e-0000-7000-8000-000000000000',
  url: 'https://crm.example.com/hooks',
  description: 'CRM',
  event_types: ['user.*'],
  active: true,
  state: 'active' as WebhookEndpoint['state'],
  failure: null,
  disabled_reason: null,
  failing_since: null,
  previous_secret_expires_at: null,
  created_at: '2026-11-22T14:00:00.000Z',
  updated_at: '2026-11-22T14:00:00.000Z',
}

describe('the events to choose from', () => {
  it('are those of the service', () => {
    const labels = (Object.keys(eventGroups) as EventSubject[]).flatMap((one) => [allOf(one), ...eventGroups[one]])
    assert.deepEqual(labels.toSorted(), [...eventFilters].toSorted())
    assert.ok(isEventFilter('user.*') && !isEventFilter('user.renamed'))
  })

  it('a whole subject replaces its single events, and none is listed twice', () => {
    assert.deepEqual(toggled(['key.created', 'user.updated', 'user.created'], 'user.*', true), [
      'user.*',
      'key.created',
    ])
    assert.deepEqual(toggled(['user.*'], 'user.*', true), ['user.*'])
    assert.deepEqual(toggled(['user.*', 'key.created'], 'user.*', false), ['key.created'])
    assert.deepEqual(toggled(['key.created'], 'user.created', true), ['user.created', 'key.created'])
  })
})

describe('a change of an endpoint', () => {
  const values = { url: endpoint.url, description: 'CRM', isEverything: false, filters: ['user.*' as const] }

  it('contains only what differs', () => {
    assert.deepEqual(changesOf(values, endpoint), {})
    assert.deepEqual(changesOf({ ...values, description: '' }, endpoint), { description: '' })
    assert.deepEqual(changesOf({ ...values, isEverything: true }, endpoint), { event_types: null })
  })
})

describe('the health of an endpoint', () => {
  it('is its state, and why it is disabled', () => {
    assert.equal(healthOf(endpoint), 'active')
    assert.equal(healthOf({ ...endpoint, state: 'failing' }), 'failing')
    assert.equal(healthOf({ ...endpoint, state: 'disabled' }), 'off')
    assert.equal(healthOf({ ...endpoint, state: 'disabled', disabled_reason: 'failing' }), 'off_failing')
    assert.equal(healthOf({ ...endpoint, state: 'disabled', disabled_reason: 'gone' }), 'off_gone')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mailKinds } from '../../../src/record/mails/kinds.ts'
import { mailKinds as filtered } from '../data/search/mails.ts'
import { eventGroups } from '../pages/webhooks/event-groups.ts'
import { isOffered } from './features.ts'

const every = new Set(['access_requests', 'email_code'])

describe('the features of the service', () => {
  it('that are off have no word in the lists of messages, events and actions', () => {
    const actions = ['access_request', 'access_request.entered', 'session', 'session.created']
    const words = [...mailKinds, ...Object.keys(eventGroups), ...actions]
    const offered = words.filter((word) => isOffered(word, new Set()))
    assert.deepEqual(
      offered.filter((word) => /access|sign_in_code/.test(word)),
      [],
    )
    assert.ok(offered.includes('invitation') && offered.includes('user') && offered.includes('session'))
    assert.ok(words.every((word) => isOffered(word, every)))
  })

  it('list every kind of message', () => {
    assert.deepEqual([...filtered].sort(), [...mailKinds].sort())
  })
})

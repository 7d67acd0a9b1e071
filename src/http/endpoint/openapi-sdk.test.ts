import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { digestsOf } from '../../../scripts/openapi-digests.ts'
import { anyEngine, start } from '../../../test/harness.ts'

type Operation = { operationId: string; tags?: string[]; 'x-subject'?: string; summary: string; responses: object }
type Paths = Record<string, Record<string, Operation>>

describe('openapi.sdk.json', () => {
  it('has the operations of openapi.json that clients call, each with one of its tags and a short id of its own', async (t) => {
    const { call } = await start(t, anyEngine)
    const { body: full } = await call('GET', '/openapi.json')
    const { body: sdk } = await call('GET', '/openapi.sdk.json')
    const tags = (sdk.tags as { name: string }[]).map(({ name }) => name)
    const ids: string[] = []
    for (const [path, operations] of Object.entries(sdk.paths as Paths)) {
      for (const [method, { operationId, tags: [tag = ''] = [], ...rest }] of Object.entries(operations)) {
        const { operationId: fullId, 'x-subject': subject, ...same } = full.paths[path][method] as Operation
        assert.deepEqual(withoutConstants(rest), withoutConstants(same), fullId)
        assert.equal(tag, subject)
        assert.ok(tags.includes(tag), fullId)
        assert.match(operationId, /^[a-z][A-Za-z]+$/)
        ids.push(operationId)
      }
    }
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted())
    const ofProviders = [
      '/connections/{connection_id}/backchannel-logout',
      '/connections/{connection_id}/global-token-revocation',
    ]
    assert.deepEqual([...Object.keys(sdk.paths), ...ofProviders].sort(), Object.keys(full.paths).sort())
    for (const id of ['listUsers', 'createUser', 'getUser', 'updateUser', 'deleteUser']) assert.ok(ids.includes(id), id)
  })

  it('and openapi.json stay as they are, byte for byte, unless a commit changes the digests (npm run generate)', async (t) => {
    const { document } = await start(t, anyEngine)
    const stored = readFileSync(new URL('../../../test/http/openapi-digests.txt', import.meta.url), 'utf8')
    assert.deepEqual(digestsOf(document).split('\n'), stored.split('\n'))
  })

  it('gives every constant a type, which generators for Java need', async (t) => {
    const { call } = await start(t, anyEngine)
    const { text } = await call('GET', '/openapi.sdk.json')
    let constants = 0
    JSON.parse(text, (_, value) => {
      if (typeof value !== 'object' || value === null || !('const' in value)) return value
      constants++
      assert.equal(value.type, typeof value.const)
      return value
    })
    assert.ok(constants > 5, `${constants} constants`)
  })

  it('and openapi.json name each operation like its function, in Title Case', async (t) => {
    const { document } = await start(t, anyEngine)
    const operations = Object.values(document.paths as unknown as Paths).flatMap((one) => Object.values(one))
    const summaries = operations.map(({ summary }) => summary)
    assert.ok(summaries.includes('Create User'))
    for (const { operationId, summary } of operations) {
      assert.ok(operationId.startsWith(`${summary.toLowerCase().replaceAll(' ', '_')}_`), summary)
      assert.match(summary, /^[A-Z][a-z0-9]*(?: [A-Z][a-z0-9]*)*$/)
    }
    assert.equal(new Set(summaries).size, summaries.length)
  })
})

/** Only `openapi.sdk.json` has their types. */
function withoutConstants(part: object): object {
  return JSON.parse(JSON.stringify(part, (_, value) => (value?.const === undefined ? value : 'a constant')))
}

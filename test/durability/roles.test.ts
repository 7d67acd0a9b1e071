import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, everyEngine } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { makePlace, startService } from './process.ts'

/** Thirty steps. */
const holders = 6000

for (const engine of everyEngine) {
  describe(`a service that is killed while it replaces a role, on ${engine.name}`, () => {
    it('finishes after its next start, and meanwhile gives nobody the old role', async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, place)
      for (const role of ['porter', 'clerk']) {
        const body = { role, permissions: ['users:read'] }
        assert.equal((await service.call('POST', '/roles', body)).status, 201)
      }
      const rows = Array.from({ length: holders }, (_, n) => `{"username":"user-${n}","role":"porter"}\n`)
      const headers = { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' }
      const imported = await fetch(`${service.url}/users/import`, { method: 'POST', headers, body: rows.join('') })
      assert.equal(((await imported.json()) as { created: number }).created, holders)

      const countOf = async (role: string) =>
        Number((await place.runSql(`SELECT count(*) AS n FROM users WHERE role = '${role}'`))[0]?.n)
      const replacement = service.call('DELETE', '/roles/porter?replace_with=clerk').catch(() => undefined)
      await waitUntil('some have the other role', 60_000, async () => (await countOf('clerk')) > 0)
      await service.end('SIGKILL')
      await replacement
      const [before, after] = [await countOf('porter'), await countOf('clerk')]
      assert.equal(before + after, holders)
      assert.ok(before > 0, 'it was killed in the middle')
      t.diagnostic(`killed after ${after} of ${holders}`)

      const next = await startService(t, place)
      const refused = await next.call('POST', '/users', { username: 'late', role: 'porter' })
      assert.ok(refused.status === 422 || (await countOf('porter')) === 0, await refused.text())
      // A round of jobs, one a minute, continues it.
      await waitUntil('the role is gone', 180_000, async () => (await next.call('GET', '/roles/porter')).status === 404)
      assert.deepEqual([await countOf('porter'), await countOf('clerk')], [0, holders])
      const audit = await (await next.call('GET', '/audit?action=role.deleted')).json()
      assert.equal((audit as unknown[]).length, 1)
    })
  })
}

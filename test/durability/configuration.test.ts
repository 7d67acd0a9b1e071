import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { everyEngine } from '../harness.ts'
import { makePlace, startService } from './process.ts'

for (const engine of everyEngine) {
  describe(`a service that is killed while it applies a configuration file, on ${engine.name}`, () => {
    it('has applied all of it or nothing', async (t) => {
      const place = await makePlace(t, engine)
      const groups = Array.from({ length: 1500 }, (_, n) => ({ name: `Group ${n}` }))
      const seen = new Set<number>()
      // Later and later, until an apply is done before the kill.
      for (let waitMs = 20; waitMs < 20_000; waitMs *= 2) {
        const service = await startService(t, place)
        const response = service.call('POST', '/configuration', { version: 1, groups }).then(
          ({ status }) => status,
          () => undefined,
        )
        await Promise.race([setTimeout(waitMs), response])
        await service.end('SIGKILL')
        const status = await response
        const [row] = await place.runSql('SELECT count(*) AS n FROM user_groups')
        const [marks] = await place.runSql('SELECT count(*) AS n FROM configuration_objects')
        const count = Number(row?.n)
        assert.ok(count === 0 || count === groups.length, `${count} groups after ${waitMs} ms`)
        assert.equal(Number(marks?.n), count)
        if (status === 200) assert.equal(count, groups.length)
        seen.add(count)
        if (count > 0) break
      }
      assert.ok(seen.has(groups.length))
    })
  })
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../harness.ts'
import { check, integrityOf, Ledger, repeatCreations, writeAndKill } from './ledger.ts'
import { makePlace, startService } from './process.ts'

for (const engine of engines) {
  const rounds = Number(process.env.KILL_ROUNDS ?? (engine.name === 'SQLite' ? 5 : 3))

  describe(`a service that is killed on ${engine.name}`, () => {
    it(`has kept each acknowledged write, none twice and all names unique (${rounds} times)`, async (t) => {
      const place = await makePlace(t, engine)
      const ledger = new Ledger()
      let service = await startService(t, place)
      for (let round = 0; round < rounds; round++) {
        await writeAndKill(service, ledger, round)
        if (engine.name === 'SQLite') assert.equal(integrityOf(place.directory), 'ok')
        service = await startService(t, place)
        await check(service, ledger)
        await repeatCreations(service, ledger)
        await check(service, ledger)
        for (const user of [...ledger.users.values()].slice(-3)) {
          const response = await service.call('GET', `/users?q=${user.username}&username=${user.username}`)
          assert.deepEqual(await response.json(), [user])
        }
      }
      assert.ok(ledger.users.size > rounds, 'the clients were busy')
      t.diagnostic(`${ledger.users.size} users there and ${ledger.deleted.size} deleted after ${rounds} rounds`)
    })
  })
}

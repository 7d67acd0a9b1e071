import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEngine, start } from '../harness.ts'
import { scimRoutes } from './access-table.ts'
import { scopeTable } from './scope-table.ts'
import { startWatched } from './watched.ts'

describe('the scope of each route', () => {
  it('is written down for each operation, and for nothing else', async (t) => {
    const { document } = await start(t, anyEngine)
    const found = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    assert.deepEqual(found.map(({ operationId }) => operationId).toSorted(), Object.keys(scopeTable).toSorted())
  })

  it('is what the route declares: of no page, and of SCIM where it returns what a connection manages', async (t) => {
    const { app, registered } = await startWatched(t, anyEngine)
    const idOf = new Map(
      Object.entries(app.document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => [
          `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
          operationId,
        ]),
      ),
    )
    const ownOrPublic = /\/(ServiceProviderConfig|ResourceTypes|Schemas)|^GET .*\/Me$/
    const scim = new Set(scimRoutes.filter((one) => !ownOrPublic.test(one)))
    const seen = new Set<string>()
    for (const { method, url, scope } of registered) {
      for (const one of [method].flat()) {
        const at = `${one} ${url.replace(/^\/auth/, '')}`
        const id = idOf.get(at.replace(/^HEAD/, 'GET'))
        if (id !== undefined) seen.add(id)
        const isOfOrganizations =
          id === undefined ? scim.has(at.replace(/^HEAD/, 'GET').replace(/\/$/, '')) : scopeTable[id] === 'organization'
        assert.equal(scope, isOfOrganizations ? 'organization' : 'global', at)
      }
    }
    assert.equal(seen.size, Object.keys(scopeTable).length)
  })
})

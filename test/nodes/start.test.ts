import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeDirectory, startService } from '../durability/process.ts'
import { runOn, schemaFor, skip, waitUntil } from './nodes.ts'

describe('nodes that start', { skip }, () => {
  it('at once on an empty schema migrate it once, and create one key', async (t) => {
    const database = await schemaFor(t)
    const env = {
      ROLLBOOK_ADMIN_KEY: '',
      ROLLBOOK_DATABASE_URL: database.url,
      ROLLBOOK_DATABASE_SCHEMA: database.schema,
    }
    // Some share a directory, as nodes on one machine may.
    const [one, two, three] = [makeDirectory(t), makeDirectory(t), makeDirectory(t)]
    const directories = [one, one, two, two, three]
    const nodes = await Promise.all(directories.map((directory) => startService(t, { directory, env })))

    // The log is written a moment after the address is.
    await waitUntil('a node says so', 5000, async () => nodes.some((node) => node.log().includes('"migrations"')))
    const migrated = nodes.map((node) => node.log().match(/"migrations":\[[^\]]*\]/g) ?? [])
    assert.equal(migrated.flat().length, 1, 'one of them did it')
    const applied = await runOn(database, 'SELECT name FROM migrations ORDER BY name')
    assert.equal(migrated.flat()[0], `"migrations":${JSON.stringify(applied.map(({ name }) => name))}`)
    const index = `SELECT 1 FROM pg_indexes WHERE indexname = 'users_search' AND schemaname = '${database.schema}'`
    assert.equal((await runOn(database, index)).length, 1)

    const files = [one, two, three].map((directory) => join(directory, 'admin-key')).filter((file) => existsSync(file))
    assert.equal(files.length, 1, 'one of them has the key')
    const key = readFileSync(files[0] as string, 'utf8').trim()
    assert.equal((await runOn(database, 'SELECT 1 FROM api_keys')).length, 1)
    const answers = await Promise.all(
      nodes.map((node) => node.call('POST', '/users', { username: `by-${node.pid}` }, { 'x-api-key': key })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(5).fill(201),
    )
    assert.equal((await runOn(database, 'SELECT 1 FROM users')).length, 5)
  })

  it('with one configuration file apply it once, whichever node is first; an older file is not applied beside it', async (t) => {
    const database = await schemaFor(t)
    const place = () => {
      const directory = makeDirectory(t)
      const file = join(directory, 'rollbook.yaml')
      const env = {
        ROLLBOOK_APPLY_FILE: file,
        ROLLBOOK_APPLY_ALLOW_DELETE: '10',
        ROLLBOOK_DATABASE_URL: database.url,
        ROLLBOOK_DATABASE_SCHEMA: database.schema,
      }
      const write = (generation: number, groups: string) => {
        const key = `{ name: main-api, permissions: [users:read], write_to: { file: ${join(directory, 'key')} } }`
        writeFileSync(file, `version: 1\ngeneration: ${generation}\ngroups: [${groups}]\nkeys: [${key}]\n`)
      }
      return { write, key: join(directory, 'key'), options: { directory, env } }
    }
    const places = [place(), place(), place()]
    for (const { write } of places) write(1, '{ name: One }')
    const nodes = await Promise.all(places.map(({ options }) => startService(t, options)))
    const [first] = nodes as [(typeof nodes)[0]]
    const groupNames = async () =>
      ((await (await first.call('GET', '/groups')).json()) as { name: string }[]).map(({ name }) => name)
    assert.deepEqual(await groupNames(), ['One'])
    assert.equal((await runOn(database, 'SELECT 1 FROM configuration_applies')).length, 1)
    // Each node has a file of its own: the one that created the key has it, and the others have none.
    const keys = places.filter(({ key }) => existsSync(key)).map(({ key }) => readFileSync(key, 'utf8').trim())
    assert.equal(keys.length, 1)
    assert.equal((await first.call('GET', '/users', undefined, { 'x-api-key': keys[0] as string })).status, 200)

    await Promise.all(nodes.slice(1).map((node) => node.end('SIGTERM')))
    const [, newer, older] = places as [unknown, (typeof places)[0], (typeof places)[0]]
    newer.write(3, '{ name: Three }')
    older.write(2, '{ name: Two }')
    const restarted = await Promise.all([newer, older].map(({ options }) => startService(t, options)))
    assert.deepEqual(await groupNames(), ['Three'])
    // Unless it was quicker than the other one, whose file replaced its own.
    const applies = await runOn(database, 'SELECT generation FROM configuration_applies ORDER BY apply_id')
    const isOlderFirst = applies.map(({ generation }) => generation).join() === '1,2,3'
    const says = async () => /is older than the applied file/.test((restarted[1] as (typeof nodes)[0]).log())
    if (!isOlderFirst) await waitUntil('the log says so', 5000, says)
  })

  it('without pg_trgm say that searches read every user, and serve', async (t) => {
    const database = await schemaFor(t, { trigrams: false })
    const env = { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }
    const node = await startService(t, { directory: makeDirectory(t), env })
    assert.equal((await node.call('POST', '/users', { username: 'Grace', last_name: 'Hopper' })).status, 201)
    const found = (await (await node.call('GET', '/users?q=hopp')).json()) as { username: string }[]
    assert.deepEqual(
      found.map(({ username }) => username),
      ['Grace'],
    )
    // The log is written a moment after the address is.
    const says = async () => /pg_trgm is missing.*searches read every user/.test(node.log())
    await waitUntil('the log says so', 5000, says)
  })
})

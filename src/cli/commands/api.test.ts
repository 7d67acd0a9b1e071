import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'

test('rollbook api', async (t) => {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory })
  const env = { ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey, XDG_CONFIG_HOME: directory }
  const api = (args: readonly string[], input?: string) => runCommand(['api', ...args], env, input)

  await t.test('sends the body and prints the response as indented JSON', async () => {
    const created = await api(['POST', '/users', '--data', '{"username": "ada"}'])
    assert.deepEqual([created.code, created.err], [0, ''])
    const user = JSON.parse(created.out)
    assert.equal(created.out, `${JSON.stringify(user, undefined, 2)}\n`)
    const changed = await api(['PATCH', `/users/${user.user_id}`, '--data', '-'], '{"first_name": "Ada"}')
    assert.deepEqual([changed.code, JSON.parse(changed.out).first_name], [0, 'Ada'])
    assert.deepEqual(JSON.parse((await api(['GET', `/users/${user.user_id}`])).out), JSON.parse(changed.out))
  })

  await t.test('sends query parameters, also one of them many times', async () => {
    const tried = await api(['POST', '/users', '--data', '{"username": "bob"}', '--query', 'dry_run=true'])
    assert.equal(tried.code, 0)
    const { out } = await api(['GET', '/users', '--query', 'q=bob', '--query', 'limit=5'])
    assert.deepEqual(JSON.parse(out), [])
    const twice = await api(['GET', '/users', '--query', 'limit=5', '--query', 'limit=6'])
    assert.equal(twice.code, 1)
  })

  await t.test('prints a response that is not JSON as it is', async () => {
    const { code, out } = await api(['GET', '/metrics', '--accept', 'text/plain'])
    assert.equal(code, 0)
    assert.match(out, /^# HELP /m)
  })

  await t.test('reports a refusal like other commands, with their exit codes', async () => {
    const none = await api(['GET', '/users/01890a5d-ac96-774b-bcce-b302099a8057'])
    assert.deepEqual([none.code, none.out], [3, ''])
    assert.match(none.err, /\(user_not_found\)\n$/)
    const taken = await api(['POST', '/users', '--data', '{"username": "ada"}'])
    assert.equal(taken.code, 5)
    assert.match(taken.err, /\(username_taken\)/)
    const denied = await runCommand(['api', 'GET', '/users'], { ...env, ROLLBOOK_API_KEY: 'wrong' })
    assert.equal(denied.code, 4)
  })

  await t.test('exits with 2 before any request for wrong usage', async () => {
    const wrong = [
      ['LOOK', '/users'],
      ['GET', 'users'],
      ['GET', '/users', '--data', '{}'],
      ['GET', '/users', '--query', 'limit'],
      ['POST', '/users', '--data', '{username: ada}'],
    ]
    for (const args of wrong) {
      const { code, out, err } = await api(args)
      assert.deepEqual([code, out], [2, ''], String(args))
      assert.doesNotMatch(err, /^\s+at /m)
    }
  })
})

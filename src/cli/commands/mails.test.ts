import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import { startMailServer } from '../../../test/mails/mail-server.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'

describe('rollbook mails', () => {
  it('tests, lists, shows, repeats and previews messages of a running service', async (t) => {
    const server = await startMailServer(t)
    const directory = makeDirectory(t)
    const service = await startService(t, { directory, env: { ...mailEnv, ROLLBOOK_SMTP_URL: server.url } })
    const env = { HOME: directory, ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey }
    const mails = (...args: string[]) => runCommand(['mails', ...args], env)
    const json = async (...args: string[]) => JSON.parse((await mails(...args, '--json')).out)

    const dry = await mails('test', 'postmaster@example.com', '--dry-run')
    assert.equal(dry.err, 'Nothing was sent. A message can be sent to this address.\n')
    const tested = await mails('test', 'postmaster@example.com', '--locale', 'de', '--json', 'status,locale')
    assert.deepEqual([tested.code, JSON.parse(tested.out)], [0, { status: 'sent', locale: 'de' }], tested.err)
    assert.equal(tested.err, 'The mail server has accepted the message to postmaster@example.com.\n')
    assert.equal(server.received.length, 1)

    server.behave((stage) => (stage === 'rcpt' ? { code: 550, text: 'no such mailbox' } : undefined))
    const refused = await mails('test', 'nobody@example.com')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /The message was not sent: rejected\. The mail server said: .*no such mailbox/)
    const [failed] = await json('list', '--status', 'failed')
    assert.deepEqual([failed.address, failed.error], ['nobody@example.com', 'rejected'])
    assert.deepEqual(await json('show', failed.mail_id), failed)
    assert.deepEqual(await json('list', '--to', 'NOBODY@example.com'), [failed])
    assert.equal((await json('list', '--limit', '1')).length, 1)
    assert.equal((await mails('show', '019a9f3e-0000-7000-8000-000000000000')).code, 3)

    server.behave(() => undefined)
    assert.match((await mails('retry', failed.mail_id, '--dry-run')).err, /^Nothing was sent\./)
    const again = await mails('retry', 'NOBODY@example.com')
    assert.deepEqual([again.code, again.err], [0, 'Sending to nobody@example.com.\n'])
    assert.equal((await json('server')).configured, true)

    const preview = await mails('preview', 'invitation', '--locale', 'de')
    assert.match(preview.out, /^Subject: Sie sind zu Orchard eingeladen\n\n.*Ada Lovelace/s)
    const html = await mails('preview', 'invitation', '--template', '{{html}}')
    assert.match(html.out, /<html/)
    const unknown = await mails('preview', 'nonsense')
    assert.equal(unknown.code, 1)
    assert.match(unknown.err, /kind/)

    const created = await runCommand(['users', 'create', 'ada', '--email', 'ada@example.com'], env)
    assert.equal(created.code, 0, created.err)
    assert.equal((await runCommand(['users', 'invite', 'ada'], env)).code, 0)
    const [invitation] = await json('list', '--user', 'ada', '--kind', 'invitation')
    assert.equal(invitation.address, 'ada@example.com')
  })
})

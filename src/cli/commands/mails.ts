/** `rollbook mails`: messages to users and their state. */
import { type Command, Option } from 'commander'
import { counted } from '../../lib/amounts.ts'
import { mailPreviewSchema, mailSchema, mailServerSchema } from '../../record/mails/schema.ts'
import type { Mail, MailKind, MailStatus, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getUser, isUserId as isUuid } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, notFound } from '../terminal/failure.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, isForPeople, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

const members = mailSchema.required
const shownColumns = ['mail_id', 'kind', 'address', 'status', 'error', 'created_at']
const states = ['waiting', 'held', 'sent', 'failed', 'cancelled'] as const satisfies MailStatus[]
const someId = '019a9f3e-0000-7000-8000-000000000000'

type ReadOptions = OutputOptions & RemoteOptions
type ListOptions = ReadOptions & { status?: MailStatus; kind?: MailKind; user?: string; to?: string; limit?: number }

export function addMails(program: Command): void {
  const mails = program
    .command('mails')
    .summary('show messages to users, and send them again')
    .description('Shows messages to users and their state, sends failed ones again, and tests sending.')
  examples(mails, [
    ['rollbook mails list --status failed', 'show what could not be sent, and why'],
    ['rollbook mails test postmaster@example.com', 'find out whether sending works'],
  ])
  addList(mails)
  addShow(mails)
  addServer(mails)
  addRetry(mails)
  addHeld(mails)
  addTest(mails)
  addPreview(mails)
}

function addList(mails: Command): void {
  const list = mails
    .command('list')
    .summary('list messages')
    .description('Lists messages without their content, the newest first: what was sent, waits, or failed and why.')
    .addOption(new Option('--status <state>', 'only messages in this state').choices(states))
    .option('--kind <kind>', 'only messages of this kind, such as invitation')
    .option('--user <user>', 'only messages to this user: id, username or email address')
    .option('--to <address>', 'only messages to this address')
    .option('--limit <n>', 'at most this many', readLimit)
    .action(runList)
  examples(list, [
    ['rollbook mails list --status failed --json', 'output for a program'],
    ['rollbook mails list --user ada --limit 10', 'the latest messages to a user'],
  ])
  addOutputOptions(list, { all: members, shown: shownColumns })
  addRemoteOptions(list)
}

async function runList({ status, kind, user, to, limit, ...options }: ListOptions): Promise<void> {
  await withServer(options, async (client, signal) => {
    const rows = client.mails.list(
      {
        ...(status !== undefined && { status }),
        ...(kind !== undefined && { kind }),
        ...(to !== undefined && { address: to }),
        ...(user !== undefined && { user_id: (await getUser(client, user, {}, signal)).user_id }),
      },
      { signal },
    )
    await printRows(limit === undefined ? rows : firstOf(rows, limit), options, 'messages')
  })
}

function addShow(mails: Command): void {
  const show = mails
    .command('show')
    .summary('show the state of a message')
    .description('Shows a message without its content, with what the mail server said last.')
    .argument('<mail>', 'its id, or the user or address: the latest message to them')
    .action((mail: string, options: ReadOptions) =>
      withServer(options, async (client, signal) => {
        const [mail_id = ''] = await mailIds(client, mail, {}, signal)
        await printOne(await client.mails.get(mail_id, { signal }), options)
      }),
    )
  examples(show, [
    ['rollbook mails show ada@example.com', 'show the latest message to an address'],
    [`rollbook mails show ${someId} --json status,response`, 'output for a program'],
  ])
  addOutputOptions(show, members)
  addRemoteOptions(show)
}

function addServer(mails: Command): void {
  const server = mails
    .command('server')
    .summary('show whether messages are sent')
    .description('Shows whether a mail server is set up, since when it accepts nothing, and how many messages wait.')
    .action((options: ReadOptions) =>
      withServer(options, async (client, signal) => printOne(await client.mails.server({ signal }), options)),
    )
  examples(server, [
    ['rollbook mails server', 'show the state of sending'],
    ["rollbook mails server --template '{{waiting}} waiting'", 'how many messages wait'],
  ])
  addOutputOptions(server, mailServerSchema.required)
  addRemoteOptions(server)
}

/** Messages that are held since the store was restored. */
function addHeld(mails: Command): void {
  const release = mails
    .command('release')
    .summary('send messages that are held after a restore')
    .description(
      'Sends the messages that are held since the store was restored: all, or the named ones. Check first whether they were sent before the restore: their recipients would get them twice.',
    )
    .argument('[mails...]', 'ids of messages, or users or addresses whose messages are held (default: all)')
    .action((ids: string[], options: HeldOptions) => runHeld('release', ids, options))
  const discard = mails
    .command('discard')
    .summary('discard messages that are held after a restore')
    .description('Discards the messages that are held since the store was restored: all, or the named ones.')
    .argument('[mails...]', 'ids of messages, or users or addresses whose messages are held (default: all)')
    .action((ids: string[], options: HeldOptions) => runHeld('discard', ids, options))
  examples(release, [
    ['rollbook mails release', 'send all of them'],
    [`rollbook mails release ${someId}`, 'send one'],
  ])
  examples(discard, [
    ['rollbook mails discard', 'discard all of them'],
    [`rollbook mails discard ${someId}`, 'discard one'],
  ])
  for (const command of [release, discard]) {
    addWriteOptions(command)
    addRemoteOptions(command)
  }
}

type HeldOptions = RemoteOptions & WriteOptions

async function runHeld(what: 'release' | 'discard', named: string[], options: HeldOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const found = await Promise.all(named.map((text) => mailIds(client, text, { status: 'held' }, signal)))
    const ids = [...new Set(found.flat())]
    const which = ids.length === 0 ? 'all held messages' : counted(ids.length, 'message')
    await confirm(`${what === 'release' ? 'Send' : 'Discard'} ${which}?`, options)
    const body = ids.length === 0 ? {} : { mail_ids: ids }
    const done = await client.mails[what](body, { dryRun, signal })
    const count = 'released' in done ? done.released : done.discarded
    tell(
      `${dryRun ? 'Nothing was changed. This would be done: ' : ''}${what === 'release' ? 'Released' : 'Discarded'} ${counted(count, 'message')}.`,
    )
  })
}

type RetryOptions = ReadOptions & WriteOptions

function addRetry(mails: Command): void {
  const retry = mails
    .command('retry')
    .summary('send a failed message again, or a waiting one now')
    .description(
      'Sends a failed message again, and one that waits for its next attempt at once. One whose link has expired needs a new link instead.',
    )
    .argument('<mail>', 'its id, or the user or address: the latest failed message to them')
    .action(runRetry)
  examples(retry, [
    ['rollbook mails retry ada@example.com', 'send the latest failed message to an address again'],
    [`rollbook mails retry ${someId} --dry-run`, 'check whether it can be sent again'],
  ])
  addWriteOptions(retry)
  addOutputOptions(retry, members)
  addRemoteOptions(retry)
}

/** Returns the ids of messages: the id itself, or those to a user or an address, the newest first. @throws Failed for none */
async function mailIds(
  client: RollbookClient,
  text: string,
  filter: { status?: MailStatus },
  signal: AbortSignal,
): Promise<string[]> {
  if (isUuid(text)) return [text.toLowerCase()]
  const to = text.includes('@') ? { address: text } : { user_id: (await getUser(client, text, {}, signal)).user_id }
  const { mails } = await client.mails.page({ ...to, ...filter, limit: 100 }, { signal })
  if (mails.length === 0) throw notFound(`${filter.status ?? ''} message to`.trimStart(), text, 'mails list')
  return mails.map(({ mail_id }) => mail_id)
}

async function runRetry(mail: string, options: RetryOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const [mail_id = ''] = await mailIds(client, mail, { status: 'failed' }, signal)
    const queued = await client.mails.retry(mail_id, { signal, dryRun })
    await printOne(queued, options)
    tell(dryRun ? 'Nothing was sent. The message can be sent again.' : `Sending to ${queued.address}.`)
  })
}

type TestOptions = ReadOptions & WriteOptions & { locale?: string; wait: boolean }
/** Long enough for a mail server that delays its greeting. */
const [waitedMs, pauseMs] = [30_000, 300]

function addTest(mails: Command): void {
  const test = mails
    .command('test')
    .summary('send a test message')
    .description(
      'Sends a short message to an address, and waits until the mail server has accepted or refused it: at most 30 seconds.',
    )
    .argument('<address>', 'where to send it')
    .option('--locale <language>', 'the language of the message')
    .option('--no-wait', 'do not wait for the mail server')
    .action(runTest)
  examples(test, [
    ['rollbook mails test postmaster@example.com', 'find out whether sending works'],
    ['rollbook mails test postmaster@example.com --locale ar --no-wait', 'see the message in Arabic'],
  ])
  addWriteOptions(test)
  addOutputOptions(test, members)
  addRemoteOptions(test)
}

async function runTest(address: string, { locale, wait, ...options }: TestOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const body = { address, ...(locale !== undefined && { locale }) }
    let mail = await client.mails.test(body, { signal, dryRun })
    const until = performance.now() + waitedMs
    while (wait && !dryRun && mail.status === 'waiting' && mail.error === null && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      mail = await client.mails.get(mail.mail_id, { signal })
    }
    await printOne(mail, options)
    if (dryRun) tell('Nothing was sent. A message can be sent to this address.')
    else if (mail.status === 'sent') tell(`The mail server has accepted the message to ${address}.`)
    else if (wait) throw new Failed(whyNotSent(mail), exitCodes.failed)
  })
}

function whyNotSent({ error, response, status }: Mail): string {
  const said = response === null ? '' : ` The mail server said: ${response}`
  if (error === null) return 'The message was not sent within 30 seconds. See rollbook mails server.'
  return `The message was not sent: ${error}.${said}${status === 'waiting' ? ' It will be tried again.' : ''}`
}

type PreviewOptions = ReadOptions & { locale?: string }

function addPreview(mails: Command): void {
  const preview = mails
    .command('preview')
    .summary('show a message as a user would get it')
    .description('Shows a message as an invented user would get it, from the built-in template or yours.')
    .argument('<kind>', 'what the message is about, such as invitation or password_reset')
    .option('--locale <language>', 'the language of the message; otherwise the configured one')
    .action(runPreview)
  examples(preview, [
    ['rollbook mails preview invitation --locale de', 'show the plain text'],
    ["rollbook mails preview invitation --template '{{html}}' > invitation.html", 'open it in a browser'],
  ])
  addOutputOptions(preview, mailPreviewSchema.required)
  addRemoteOptions(preview)
}

async function runPreview(kind: string, { locale, ...options }: PreviewOptions): Promise<void> {
  await withServer(options, async (client, signal) => {
    const body = { kind: kind as MailKind, ...(locale !== undefined && { locale }) }
    const message = await client.mails.preview(body, { signal })
    if (!isForPeople(options) && (options.isOutputChosen || options.json || options.template || options.columns)) {
      return printOne(message, options)
    }
    await put(`Subject: ${visible(message.subject)}\n\n${message.text.split('\n').map(visible).join('\n')}\n`)
  })
}

/** `rollbook factors trusted` and `untrust`: the browsers in which a user is not asked for the second factor. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { idOf } from '../server/find-named.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

const members = ['browser_id', 'device', 'address', 'created_at', 'last_used_at', 'expires_at', 'user_agent']
const shownColumns = ['browser_id', 'device', 'address', 'last_used_at', 'expires_at']

type Options = FindOptions & OutputOptions & RemoteOptions

export function addTrusted(factors: Command): void {
  const list = factors
    .command('trusted')
    .summary('list the browsers that a user trusts')
    .description('Lists the browsers in which a user is not asked for the second factor.')
    .action(runList)
  examples(list, [
    ['rollbook factors trusted ada', 'show browsers, addresses and until when'],
    ['rollbook factors trusted ada@example.com --json', 'output for a program'],
  ])
  addFindOptions(list)
  addOutputOptions(list, { all: members, shown: shownColumns })
  addRemoteOptions(list)
}

async function runList(text: string, options: Options): Promise<void> {
  await withServer(options, async (client, signal) => {
    const { user_id } = await getUser(client, text, options, signal)
    await printRows(await client.sessions.listTrustedBrowsersOf(user_id, { signal }), options, 'trusted browsers')
  })
}

export function addUntrust(factors: Command): void {
  const untrust = factors
    .command('untrust')
    .summary('stop trusting a browser of a user')
    .description(
      'Asks for the second factor again at the next sign-in in this browser. Sessions continue. Asks first, unless --yes is given.',
    )
    .action(runUntrust)
  examples(untrust, [
    ['rollbook factors untrust ada "Firefox on Linux"', 'with confirmation'],
    ['rollbook factors untrust ada 019a9f3e-0000-7000-8000-000000000000 --dry-run', 'check whether it exists'],
  ])
  addFindOptions(untrust)
  untrust.argument('<browser>', 'its id or device')
  addWriteOptions(untrust)
  addOutputOptions(untrust, ['browser_id'])
  addRemoteOptions(untrust)
}

async function runUntrust(text: string, browser: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    const namedBrowsers = async () => {
      const browsers = await client.sessions.listTrustedBrowsersOf(user_id, { signal })
      return browsers.map(({ browser_id, device }) => ({ id: browser_id, names: [device] }))
    }
    const browser_id = await idOf(browser, namedBrowsers, 'trusted browser', `factors trusted ${username}`)
    await confirm(`Ask ${username} for the second factor again in this browser?`, options)
    const removed = await client.sessions.removeTrustedBrowserOf(user_id, browser_id, { signal, dryRun })
    await printOne(removed, options)
    tell(dryRun ? 'Nothing was changed. The browser is trusted.' : `${username} no longer trusts this browser.`)
  })
}

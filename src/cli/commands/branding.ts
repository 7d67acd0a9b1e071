/** `rollbook branding`: the look of the pages and messages. */
import type { Command } from 'commander'
import { brandingSchema } from '../../access/pages/branding/schema.ts'
import { logoDataUrl, readLogoFile } from '../../core/logo-file.ts'
import type { Branding, RollbookClient, SetBranding } from '../../sdk/client/index.ts'
import { etagOf } from '../../sdk/client/operations.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, formatOf, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Common = { organization?: string } & OutputOptions & RemoteOptions
type Change = WriteOptions & OverrideOption & Common
/** `false`: the option `--no-…` was given. */
type Settings = {
  name?: string | false
  logo?: string | false
  logoDark?: string | false
  accentColor?: string | false
  termsUrl?: string | false
  privacyUrl?: string | false
  supportUrl?: string | false
}

const columns = {
  all: Object.keys(brandingSchema.properties),
  shown: ['name', 'accent_color', 'terms_url', 'privacy_url', 'support_url', 'updated_at', 'managed_by'],
}

export function addBranding(program: Command): void {
  const branding = program
    .command('branding')
    .summary('change the look of the pages and messages')
    .description(
      'Shows and changes the name, logos, colour and links of the sign-in pages, the pages behind links, the account page and messages.',
    )
  examples(branding, [
    ["rollbook branding set --name 'Acme Reports' --logo logo.svg --accent-color '#7a1f5c'", 'use your own look'],
    ['rollbook branding get', 'show it'],
  ])
  addGet(branding)
  addSet(branding)
  addReset(branding)
}

function addGet(branding: Command): void {
  const get = branding
    .command('get')
    .summary('show the branding')
    .description('Shows the branding. Empty members have their default.')
    .action((options: Common) =>
      withServer(options, async (client, signal) => {
        const found = await (await brandingFor(client, options, signal)).get()
        await printBranding(found, options)
      }),
    )
  addOrganizationOption(get)
  examples(get, [
    ['rollbook branding get', 'show names, colour and links'],
    ['rollbook branding get --json', 'with the logos, as data URLs'],
  ])
  addOutputOptions(get, columns)
  addRemoteOptions(get)
}

function addSet(branding: Command): void {
  const set = branding
    .command('set')
    .summary('change the branding')
    .description('Changes what is given and leaves the rest. Every page and message uses it within a second.')
    .option('--name <text>', 'the name of the product')
    .option('--no-name', 'use ROLLBOOK_PRODUCT_NAME')
    .option('--logo <file>', 'an SVG or PNG file of at most 64 KiB')
    .option('--no-logo', 'remove the logo')
    .option('--logo-dark <file>', 'the logo for dark ground')
    .option('--no-logo-dark', 'use the same logo on dark ground')
    .option('--accent-color <color>', 'the colour of buttons and links, such as #7a1f5c')
    .option('--no-accent-color', 'use the usual colour')
    .option('--terms-url <url>', 'the terms of use')
    .option('--no-terms-url', 'show no terms of use')
    .option('--privacy-url <url>', 'the privacy notice')
    .option('--no-privacy-url', 'show no privacy notice')
    .option('--support-url <url>', 'where users get help: https: or mailto:')
    .option('--no-support-url', 'show no link to help')
    .action(runSet)
  addOrganizationOption(set)
  examples(set, [
    ['rollbook branding set --logo logo.svg --logo-dark logo-dark.svg', 'set both logos'],
    ["rollbook branding set --accent-color '#7a1f5c' --dry-run", 'check whether a colour has enough contrast'],
    ["rollbook branding set --organization Acme --name 'Acme Reports'", 'the look of an organization'],
  ])
  addOverrideOption(set, 'a branding')
  addWriteOptions(set)
  addOutputOptions(set, columns)
  addRemoteOptions(set)
}

async function runSet(options: Change & Settings): Promise<void> {
  const changes = changesIn(options)
  if (Object.keys(changes).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  await withServer(options, async (client, signal) => {
    const branding = await brandingFor(client, options, signal)
    const before = await branding.get()
    const ifMatch = etagOf(before)
    const body = { ...before, ...changes }
    const { left_out } = await client.branding.preview({ branding: body }, { signal })
    const how = { ...howOf(options), ...(ifMatch !== undefined && { ifMatch }) }
    const after = await branding.replace(body, how)
    await printBranding(after, options)
    for (const { member, names } of left_out.filter((one) => one.member in changes)) {
      tell(`Left out of ${member}: ${names.join(', ')}. If it looks incomplete, convert texts to paths.`)
    }
    tell(options.dryRun ? nothingChanged : 'Changed the branding.')
  })
}

function addReset(branding: Command): void {
  const reset = branding
    .command('reset')
    .summary('remove the branding')
    .description('Removes the name, logos, colour and links. Asks first, unless --yes is given.')
    .action(async (options: Change) => {
      await confirm('Remove the branding?', options)
      const after = await withServer(options, (client, signal) =>
        brandingFor(client, options, signal).then((branding) => branding.replace({}, howOf(options))),
      )
      await printBranding(after, options)
      tell(options.dryRun ? nothingChanged : 'Removed the branding.')
    })
  addOrganizationOption(reset)
  examples(reset, [
    ['rollbook branding reset --dry-run', 'check that it is allowed'],
    ['rollbook branding reset --yes', 'without confirmation'],
  ])
  addOverrideOption(reset, 'a branding')
  addWriteOptions(reset)
  addOutputOptions(reset, columns)
  addRemoteOptions(reset)
}

const nothingChanged = 'Nothing was changed. The branding would be as shown.'

function addOrganizationOption(command: Command): void {
  command.option('--organization <organization>', 'the look of an organization, by its id or name')
}

/** The look of the product, or of an organization. */
async function brandingFor(
  client: RollbookClient,
  { organization }: Pick<Common, 'organization'>,
  signal: AbortSignal,
): Promise<{ get(): Promise<Branding>; replace(body: SetBranding, how: How): Promise<Branding> }> {
  if (organization === undefined) {
    return {
      get: () => client.branding.get({ signal }),
      replace: (body, how) => client.branding.replace(body, { signal, ...how }),
    }
  }
  const { organization_id } = await getOrganization(client, organization, signal)
  return {
    get: () => client.organizations.getBranding(organization_id, { signal }),
    replace: (body, { override: _, ...how }) =>
      client.organizations.replaceBranding(organization_id, body, { signal, ...how }),
  }
}

type How = { dryRun: boolean; override?: true; ifMatch?: string }

function howOf({ dryRun, override }: Change): { dryRun: boolean; override?: true } {
  return { dryRun: dryRun ?? false, ...(override && { override }) }
}

function changesIn(options: Settings): SetBranding {
  const { name, logo, logoDark, accentColor, termsUrl, privacyUrl, supportUrl } = options
  const texts = {
    name,
    logo: typeof logo === 'string' ? logoDataUrl(readLogoFile(logo)) : logo,
    logo_dark: typeof logoDark === 'string' ? logoDataUrl(readLogoFile(logoDark)) : logoDark,
    accent_color: accentColor,
    terms_url: termsUrl,
    privacy_url: privacyUrl,
    support_url: supportUrl,
  }
  const chosen = Object.entries(texts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(chosen.map(([member, value]) => [member, value === false ? null : value]))
}

/** A table has no room for a data URL, unless it is asked for. */
async function printBranding(branding: Branding, options: OutputOptions): Promise<void> {
  const { logo: _, logo_dark: __, ...texts } = branding
  const isTable = formatOf(options) === 'table' && options.columns === undefined && options.template === undefined
  await printOne(isTable ? texts : branding, options)
  tellLogos(branding)
}

function tellLogos(branding: Branding): void {
  for (const [label, url] of [
    ['Logo', branding.logo],
    ['Logo for dark ground', branding.logo_dark],
  ] as const) {
    if (url === null) continue
    const size = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').length
    tell(`${label}: ${url.startsWith('data:image/png') ? 'PNG' : 'SVG'}, ${size} bytes.`)
  }
}

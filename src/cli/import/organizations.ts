/**
 * The organizations of another system: finds or creates each on the server before the users are sent, so that their rows can name it.
 * Importing the same file again finds them by their `external_id`.
 */
import { counted } from '../../lib/amounts.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'
import type { LeftOut, Memberships, SourceOrganization } from '../../moving-in/formats/index.ts'
import type { CreateOrganization, Organization, RollbookClient } from '../../sdk/client/index.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { visible } from '../terminal/visible-text.ts'
import { type Homes, type InputOptions, openBytes } from './input.ts'

/** Reads the organizations of the source, if it has any. */
export async function readOrganizationsOf(file: string, options: InputOptions): Promise<Memberships | undefined> {
  const { from, organizations } = options
  if (from === undefined) return undefined
  const { sources, readMemberships } = await import('../../moving-in/formats/index.ts')
  const source = sources[from].organizations
  if (organizations !== undefined && (source === undefined || source.areIn === 'export'))
    throw new UsageError(`--organizations is not for --from ${from}.`)
  if (source === undefined || (source.areIn === 'file' && organizations === undefined)) return undefined
  const place = organizations ?? file
  if (place === '-') {
    tell('Organizations are not imported from standard input, which can be read only once. Give the name of the file.')
    return undefined
  }
  const { bytes } = await openBytes(place, options)
  return readMemberships(source.read(bytes))
}

/** @throws Failed if the key may not create organizations */
export async function prepareOrganizations(
  client: RollbookClient,
  signal: AbortSignal,
  memberships: Memberships,
  dryRun: boolean,
): Promise<Homes> {
  const leftOut: LeftOut[] = [...memberships.leftOut]
  const ids = new Map<string, string>()
  if (memberships.organizations.size === 0) return { memberships, ids, leftOut }
  const known = await existing(client, signal)
  const created: string[] = []
  for (const source of memberships.organizations.values()) {
    const found = known.find(source)
    const home = found ?? (await create(client, source, known, leftOut, { signal, dryRun }))
    if (home === undefined) continue
    if (found === undefined) created.push(home.name)
    if (found !== undefined || !dryRun) ids.set(source.id, home.organization_id)
    known.add(home)
    // A dry run has no organization to which a domain could be added.
    if (found !== undefined || !dryRun) await addDomains(client, home, source, leftOut, { signal, dryRun })
  }
  tellOrganizations(created, ids.size, dryRun)
  return { memberships, ids, leftOut }
}

type How = { signal: AbortSignal; dryRun: boolean }

async function existing(client: RollbookClient, signal: AbortSignal) {
  const byExternalId = new Map<string, Organization>()
  const byName = new Map<string, Organization>()
  const add = (organization: Organization) => {
    if (organization.external_id !== null) byExternalId.set(organization.external_id, organization)
    byName.set(keyOf(organization.name) ?? organization.name, organization)
  }
  try {
    for await (const organization of client.organizations.list({}, { signal })) add(organization)
  } catch (error) {
    throw explained(error)
  }
  const named = (name: string) => byName.get(keyOf(name) ?? name)
  return {
    add,
    named,
    /** By the id of the source, or by the name if no other organization of a source has it. */
    find(source: SourceOrganization): Organization | undefined {
      const sameName = named(source.name)
      return byExternalId.get(source.id) ?? (sameName?.external_id === null ? sameName : undefined)
    },
  }
}

type Known = Awaited<ReturnType<typeof existing>>

async function create(
  client: RollbookClient,
  source: SourceOrganization,
  known: Known,
  leftOut: LeftOut[],
  how: How,
): Promise<Organization | undefined> {
  const name = nameFor(source, known)
  if (name !== source.name)
    leftOut.push({
      what: 'name of an organization',
      why: 'not valid in Rollbook, or the name of another organization; another one is used',
      of: `${source.name}: ${name}`,
    })
  const body: CreateOrganization = {
    name,
    external_id: source.id,
    ...(!source.active && { active: false }),
    ...(source.needsSecondFactor && { second_factor: 'required' as const }),
  }
  try {
    return await client.organizations.create(body, how)
  } catch (error) {
    if (!isRefusal(error)) throw explained(error)
    leftOut.push({ what: 'organization', why: error.message, of: source.id })
    return undefined
  }
}

/** The name, the short name or the id: the first that is valid and free, also with the id behind it. */
function nameFor({ id, name, alias }: SourceOrganization, known: Known): string {
  const candidates = [name, ...(alias === undefined ? [] : [alias, `${name} (${alias})`]), `${name} (${id})`, id]
  const fits = (text: string) => keyOf(text) !== undefined && known.named(text) === undefined
  return candidates.map((text) => Array.from(text).slice(0, 128).join('').trim()).find(fits) ?? id
}

/** Undefined for what cannot be a name. */
function keyOf(name: string): string | undefined {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    return undefined
  }
}

/** Domains that the source has verified are verified here too: the caller of this command vouches for them. */
async function addDomains(
  client: RollbookClient,
  home: Organization,
  { domains }: SourceOrganization,
  leftOut: LeftOut[],
  how: How,
): Promise<void> {
  for (const { domain, isVerified } of domains) {
    const known = home.domains.find((one) => one.domain === domain.toLowerCase())
    if (known !== undefined && (known.verified_at !== null || !isVerified)) continue
    try {
      await client.organizations.addDomain(home.organization_id, { domain, verified: isVerified }, how)
    } catch (error) {
      if (!isRefusal(error)) throw explained(error)
      leftOut.push({ what: 'domain of an organization', why: error.message, of: `${home.name}: ${domain}` })
    }
  }
}

/** What concerns one organization and does not stop the others. */
function isRefusal(error: unknown): error is Error {
  const { status = 0 } = error as { status?: number }
  return error instanceof Error && [400, 409, 422].includes(status)
}

function explained(error: unknown): unknown {
  if ((error as { status?: number }).status !== 403) return error
  const text =
    'The export has organizations. To find and create them, the key needs organizations:read and organizations:write. To import the users alone, give --without-organizations.'
  return new Failed(text, exitCodes.failed, { cause: error })
}

function tellOrganizations(created: readonly string[], found: number, dryRun: boolean): void {
  const names =
    created.length === 0 ? '' : ` (${created.slice(0, 3).map(visible).join(', ')}${created.length > 3 ? ', …' : ''})`
  const there = found - (dryRun ? 0 : created.length)
  const verb = dryRun ? 'would be created' : 'created'
  tell(`${counted(created.length, 'organization')} ${verb}${names}, ${there} already there.`)
  if (dryRun && created.length > 0) tell('The rows are checked without the organizations that do not exist yet.')
}

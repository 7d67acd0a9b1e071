/** Reads role maps, and refuses unknown roles before anything is sent. */
import { readFileSync } from 'node:fs'
import { nearestName } from '../../lib/nearest-name.ts'
import { shownName } from '../../lib/shown-name.ts'
import type { SourceName } from '../../moving-in/formats/index.ts'
import type { RollbookClient } from '../../sdk/client/index.ts'
import { UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'

export type RoleOptions = { from?: SourceName; roleMap?: string; mapping?: string }

/** @throws UsageError when the file is not a role map */
export function readRoleMap(file: string): Record<string, string> {
  const map = readJson(file)
  const isMap = typeof map === 'object' && map !== null && !Array.isArray(map)
  const other = isMap ? Object.entries(map).find(([, role]) => typeof role !== 'string') : undefined
  if (other !== undefined)
    throw new UsageError(`${file} maps ${shownName(other[0])} to a value that is not the name of a role. ${form}`)
  if (!isMap) throw new UsageError(`${file} is not a role map. ${form}`)
  return map as Record<string, string>
}

const form = 'A role map is a JSON object: {"their role": "Rollbook role", …}.'

function readJson(file: string): unknown {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const line = /line (\d+)/.exec(cause.message)?.[1]
    throw new UsageError(`${file} is not valid JSON${line === undefined ? '' : ` (line ${line})`}. ${form}`, { cause })
  }
}

/** @throws UsageError with each unknown role and the known ones */
export async function checkRoles(client: RollbookClient, signal: AbortSignal, options: RoleOptions): Promise<void> {
  const mappings = await rolesGiven(options)
  if (mappings.length === 0) return
  const known = await client.roles.list({ signal }).catch((error) => {
    if ((error as { status?: number }).status !== 403) throw error
    tell('The key may not list roles (users:read), so the role map is not checked first.')
    return undefined
  })
  if (known === undefined) return
  const names = known.map(({ role }) => role)
  const faults = mappings.filter(({ role }) => !names.includes(role))
  if (faults.length === 0) return
  const lines = faults.slice(0, 10).map(({ file, from, role }) => {
    const near = nearestName(role, names)
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`
    return `  ${file}: ${from === undefined ? '' : `${shownName(from)} becomes `}${shownName(role)}${hint}`
  })
  const more = faults.length > 10 ? `\n  and ${faults.length - 10} more` : ''
  throw new UsageError(
    `Nothing was imported: the server does not have these roles.\n${lines.join('\n')}${more}\nIts roles are ${names.join(', ')}. Correct the file, or define the roles with ROLLBOOK_ROLES.`,
  )
}

type Given = { file: string; from?: string; role: string }

async function rolesGiven({ from, roleMap, mapping }: RoleOptions): Promise<Given[]> {
  const mappings: Given[] = []
  if (roleMap !== undefined)
    for (const [name, role] of Object.entries(readRoleMap(roleMap))) mappings.push({ file: roleMap, from: name, role })
  if ((from === 'csv' || from === 'json') && mapping !== undefined) {
    const { rolesOfMapping } = await import('../../moving-in/formats/mapping.ts')
    for (const role of rolesOfMapping(readFileSync(mapping, 'utf8'))) mappings.push({ file: mapping, ...role })
  }
  return mappings
}

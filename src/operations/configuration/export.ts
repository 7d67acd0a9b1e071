/** The file of what is stored: in one form and order, without secrets. */
import { fileLimits, mappedSections, nameMemberOf } from '../../core/configuration-file.ts'
import { counted } from '../../lib/amounts.ts'
import { writeYaml } from '../../lib/yaml-document.ts'
import type { Members, Names, Stored } from './kind.ts'
import { inFileForm, isSame, type SectionState, storedKey } from './plan.ts'
import type { State } from './state.ts'

export type Exported = {
  document: Record<string, unknown>
  ambiguous: { section: string; name: string }[]
  /** Organizations that no file manages, if there are too many for a file. */
  leftOut: number
}

export function exportOf({ sections, names }: State, generation: number | undefined): Exported {
  const ambiguous: Exported['ambiguous'] = []
  const all = [...sections.values()].flatMap(({ stored }) => stored.filter(isExported))
  const unmanaged = sections.get('organizations')?.stored.filter(({ managed_by }) => managed_by === null) ?? []
  const leftOut = all.length > fileLimits.objects ? unmanaged.length : 0
  const entries = [...sections].flatMap(([section, state]) => {
    const { kind } = state
    const isWritten = leftOut > 0 && section === 'organizations' ? isManaged : isExported
    const byName = Map.groupBy(state.stored.filter(isWritten), (one) => storedKey(kind, one))
    const objects = [...byName]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, [first, ...others]]) => {
        if (first === undefined) return []
        if (others.length === 0) return [objectOf(state, first, names)]
        ambiguous.push({ section, name: first.name })
        return []
      })
    const value = mappedSections.includes(section) ? Object.assign({}, ...objects) : objects
    return objects.length === 0 ? [] : [[section, value] as const]
  })
  const document = { version: 1, ...(generation !== undefined && { generation }), ...Object.fromEntries(entries) }
  return { document, ambiguous, leftOut }
}

function isManaged({ managed_by }: Stored): boolean {
  return managed_by === 'file'
}

/** An identity provider manages the others. */
function isExported({ managed_by }: Stored): boolean {
  return managed_by === null || managed_by === 'file'
}

/** The name first, then the members in the order of the schema, without those that have their initial value. */
function objectOf({ kind }: SectionState, { members }: Stored, names: Names): Members {
  const all = inFileForm(kind, members, names)
  const initial = kind.initial(members)
  const first = mappedSections.includes(kind.section) ? undefined : nameMemberOf(kind.section)
  const rest = Object.keys(kind.schema.properties).filter((name) => name !== first)
  const order = first === undefined ? rest : [first, ...rest]
  const listed = order.filter((name) => name in all && (name === first || !isSame(all[name], initial[name])))
  return Object.fromEntries(listed.map((name) => [name, all[name]]))
}

export async function exportText({ document, ambiguous, leftOut }: Exported, schemaUrl: string): Promise<string> {
  const notes = ambiguous.map(
    ({ section, name }) => `# Left out of ${section}, because several have this name: ${JSON.stringify(name)}\n`,
  )
  if (leftOut > 0) {
    const most = `a file has at most ${fileLimits.objects} objects`
    notes.push(`# Left out: ${counted(leftOut, 'organization')} that no file manages, because ${most}\n`)
  }
  return `# yaml-language-server: $schema=${schemaUrl}\n${notes.join('')}${await writeYaml(document)}`
}

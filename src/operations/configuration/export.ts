/** The file of what is stored: in one form and order, without secrets. */
import { mappedSections, nameMemberOf } from '../../core/configuration-file.ts'
import { writeYaml } from '../../lib/yaml-document.ts'
import type { Members, Names, Stored } from './kind.ts'
import { inFileForm, isSame, type SectionState } from './plan.ts'
import type { State } from './state.ts'

export type Exported = { document: Record<string, unknown>; ambiguous: { section: string; name: string }[] }

export function exportOf({ sections, names }: State, generation: number | undefined): Exported {
  const ambiguous: Exported['ambiguous'] = []
  const entries = [...sections].flatMap(([section, state]) => {
    const { kind } = state
    const byName = Map.groupBy(state.stored.filter(isExported), ({ name }) => kind.nameKey(name))
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
  return { document, ambiguous }
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

export async function exportText({ document, ambiguous }: Exported, schemaUrl: string): Promise<string> {
  const notes = ambiguous.map(
    ({ section, name }) => `# Left out of ${section}, because several have this name: ${JSON.stringify(name)}\n`,
  )
  return `# yaml-language-server: $schema=${schemaUrl}\n${notes.join('')}${await writeYaml(document)}`
}

/** The inactivity rule, between its form and the API. */
import type { Policies } from 'rollbook/client'

export type Rule = NonNullable<Policies['inactivity']>

/** A line of the form. `group` has the name if `who` is `group:`; days are as typed. */
export type Line = { id: number; who: string; group: string; days: string; notice_days: string }

const groupPrefix = 'group:'
export const [everyone, ofGroup, services, managed] = ['*', groupPrefix, 'kind:service', 'managed'] as const

/** The name of the group that a limit is for; undefined for another limit. */
export function groupOf(name: string): string | undefined {
  return name.startsWith(groupPrefix) ? name.slice(groupPrefix.length) : undefined
}

export function linesOf(rule: Rule | null): Line[] {
  return Object.entries(rule ?? {}).map(([name, { days, notice_days }], id) => {
    const group = groupOf(name)
    const who = group === undefined ? name : ofGroup
    return { id, who, group: group ?? '', days: String(days), notice_days: String(notice_days) }
  })
}

/** Without lines, there is no rule. Undefined: two lines are for the same users. */
export function ruleOf(lines: readonly Line[]): Rule | null | undefined {
  if (lines.length === 0) return null
  const names = lines.map(({ who, group }) => (who === ofGroup ? groupPrefix + group.trim() : who))
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return undefined
  return Object.fromEntries(
    lines.map(({ days, notice_days }, index) => [
      names[index] as string,
      { days: Number(days), notice_days: Number(notice_days) },
    ]),
  )
}

/** A plan for people, for a pull request, and for programs. */
import { styleText } from 'node:util'
import type { ConfigurationChange, ConfigurationPlan } from '../../sdk/client/index.ts'

export type PlanFormat = 'text' | 'json' | 'markdown'

type Style = { sign: string; color: 'green' | 'yellow' | 'red' | 'cyan'; verb: string }

const styles: Record<ConfigurationChange['action'], Style> = {
  create: { sign: '+', color: 'green', verb: 'create' },
  update: { sign: '~', color: 'yellow', verb: 'change' },
  rename: { sign: '>', color: 'yellow', verb: 'rename' },
  adopt: { sign: '=', color: 'cyan', verb: 'adopt' },
  release: { sign: 'o', color: 'cyan', verb: 'no longer manage' },
  delete: { sign: '-', color: 'red', verb: 'delete' },
}

export function planText(plan: ConfigurationPlan, format: PlanFormat): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(plan, null, 2)}\n`
    case 'markdown':
      return markdown(plan)
    case 'text':
      return forPeople(plan)
  }
}

function forPeople(plan: ConfigurationPlan): string {
  const blocks = plan.changes.map((change) => {
    const { sign, color, verb } = styles[change.action]
    const drift = change.drift ? '  (changed by hand since the last apply)' : ''
    const head = paint(color, `${sign} ${verb} ${change.kind} ${JSON.stringify(change.name)}`)
    return [`${head}${drift}`, ...change.members.map((member) => `    ${memberText(member, change.action)}`)].join('\n')
  })
  return [...blocks, summary(plan), ''].join('\n')
}

function memberText(
  { pointer, before, after, secret }: ConfigurationChange['members'][number],
  action: string,
): string {
  const name = pointer.slice(2)
  if (secret) return `${name}: (secret)`
  if (action === 'create') return `${name}: ${JSON.stringify(after)}`
  if (action === 'delete') return `${name}: ${JSON.stringify(before)}`
  return `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`
}

function summary(plan: ConfigurationPlan): string {
  const { created, updated, deleted, adopted, renamed, released, drifted, unchanged } = plan
  if (plan.changes.length === 0) return `No changes. ${unchanged} unchanged.`
  const parts = [
    `${created} to create`,
    `${updated} to change`,
    `${deleted} to delete`,
    ...(adopted > 0 ? [`${adopted} to adopt`] : []),
    ...(renamed > 0 ? [`${renamed} to rename`] : []),
    ...(released > 0 ? [`${released} no longer managed`] : []),
    `${unchanged} unchanged`,
  ]
  const drift = drifted > 0 ? ` Changed by hand since the last apply: ${drifted}.` : ''
  return `Plan: ${parts.join(', ')}.${drift}`
}

function markdown(plan: ConfigurationPlan): string {
  const rows = plan.changes.flatMap(({ action, kind, name, drift, members }) => {
    const said = members.map((member) => `\`${cell(memberText(member, action))}\``).join('<br>')
    return [
      `| ${styles[action].sign} ${styles[action].verb} | ${kind} | \`${cell(name)}\` | ${drift ? 'yes' : ''} | ${said} |`,
    ]
  })
  const table = ['| Change | Kind | Name | Drift | Members |', '|---|---|---|---|---|', ...rows]
  return ['### Rollbook configuration', '', summary(plan), ...(rows.length > 0 ? ['', ...table] : []), ''].join('\n')
}

/** A value must not end the cell, the code, or the table. */
function cell(text: string): string {
  return text
    .replaceAll('`', 'ˋ')
    .replaceAll('|', '\\|')
    .replaceAll(/[\r\n]+/g, ' ')
}

function paint(color: Style['color'], text: string): string {
  return styleText(color, text, { stream: process.stdout })
}

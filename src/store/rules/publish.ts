/** Puts changed roles and policies in force. */
import type { ChangeContext } from '../context.ts'
import { setState } from '../state.ts'
import { countOf, findRulesVersion, readStoredRules, rulesWith, versionState } from './stored-rules.ts'

/**
 * After a change of a stored role or policy: the rest of this transaction follows it, and after the commit every node does. Only
 * for changes with the trait `ofRules`.
 */
export async function publishRules(ctx: ChangeContext): Promise<void> {
  const count = countOf(await findRulesVersion(ctx.db)) + 1
  await setState(ctx.db, versionState, `${count} ${ctx.newId()}`)
  const stored = await readStoredRules(ctx.db)
  ctx.rules = rulesWith(ctx.rules, stored)
  ctx.announce({ kind: 'rules_changed', stored })
}

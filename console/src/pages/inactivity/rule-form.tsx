/** Changes the rule: a preview shows whom it would disable, and only what was shown can be saved. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Policies } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { mostListed, untilIn, usualDays } from '../../data/inactivity.ts'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Foreseen } from './foreseen.tsx'
import styles from './inactivity.module.css'
import { everyone, type Line, linesOf, managed, ofGroup, type Rule, ruleOf, services } from './rule-lines.ts'
import { useLimitText } from './words.ts'

type Props = { policies: Policies; roles: readonly string[] }

export function RuleForm({ policies: { inactivity, managed_by }, roles }: Props) {
  const { t } = useLingui()
  const [lines, setLines] = useState(() => linesOf(inactivity))
  const rule = ruleOf(lines)
  const lock = useFileLock({ managed_by: managed_by.inactivity })
  const trial = useSubmit((tried: Rule | null) => {
    // Whoever is overdue is told first, and disabled after that.
    const days = Math.max(usualDays, ...Object.values(tried ?? {}).map(({ notice_days }) => notice_days))
    return api.policies.previewInactivity({ inactivity: tried, until: untilIn(days), limit: mostListed })
  })
  const saving = useSubmit((saved: Rule | null) => api.policies.update({ inactivity: saved }, lock.how), {
    stale: [['policies'], ['inactivity'], ['system']],
    onSuccess: (_, saved) => showToast({ message: saved === null ? t`The rule was removed.` : t`The rule is saved.` }),
  })
  const isShown = trial.result !== undefined && isSame(trial.values, rule)
  const isSaved = isSame(inactivity, rule)
  const add = () =>
    setLines([
      ...lines,
      { id: Math.max(0, ...lines.map(({ id }) => id + 1)), who: everyone, group: '', days: '90', notice_days: '14' },
    ])
  return (
    <Section
      title={t`Change the rule`}
      description={t`A preview changes nothing. Who is overdue when a rule begins is told first.`}
      actions={
        <ApiCallButton size="xs" calls={[{ operation: 'PATCH /policies', body: { inactivity: rule ?? null } }]} />
      }
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (rule !== undefined) trial.submit(rule)
          }}
        >
          <Stack gap="md">
            {lines.length === 0 && (
              <p className={styles.note}>
                <Trans>Without a limit no user is disabled.</Trans>
              </p>
            )}
            {lines.map((line) => (
              <LineFields
                key={line.id}
                line={line}
                roles={roles}
                onChange={(change) => setLines(lines.map((one) => (one.id === line.id ? { ...one, ...change } : one)))}
                onRemove={() => setLines(lines.filter(({ id }) => id !== line.id))}
              />
            ))}
            {rule === undefined && (
              <p className={styles.warning} role="alert">
                <Trans>Two limits are for the same users. Remove one of them.</Trans>
              </p>
            )}
            <div className={styles.buttons}>
              <Button variant="default" onClick={add}>
                <Trans>Add a limit</Trans>
              </Button>
              <Button
                type="submit"
                variant="default"
                loading={trial.isPending}
                disabled={rule === undefined || isSaved}
              >
                <Trans>Preview the rule</Trans>
              </Button>
              {isShown && !isSaved && (
                <Button loading={saving.isPending} onClick={() => saving.submit(rule ?? null)}>
                  {rule === null ? <Trans>Remove the rule</Trans> : <Trans>Save the rule</Trans>}
                </Button>
              )}
            </div>
          </Stack>
        </form>
      </Lockable>
      {trial.error && <Problem error={trial.error} title={t`The rule could not be previewed.`} />}
      {saving.error && <Problem error={saving.error} title={t`The rule was not saved.`} />}
      {isShown && !isSaved && trial.result && (
        <Foreseen preview={trial.result} caption={t`Users whom this rule would disable`} />
      )}
    </Section>
  )
}

function isSame(one: Rule | null | undefined, other: Rule | null | undefined): boolean {
  const sorted = (rule: Rule | null | undefined) =>
    JSON.stringify(rule && Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(one) === sorted(other)
}

type LineProps = {
  line: Line
  roles: readonly string[]
  onChange: (change: Partial<Line>) => void
  onRemove: () => void
}

function LineFields({ line: { who, group, days, notice_days }, roles, onChange, onRemove }: LineProps) {
  const { t } = useLingui()
  const limitText = useLimitText()
  // A role of the rule that is not among those that were read stays.
  const isOfRole = ![everyone, ofGroup, services, managed].some((one) => one === who)
  const names = [everyone, ...new Set([...roles, ...(isOfRole ? [who] : [])])]
  const options = [...names, services, managed].map((value) => ({ value, label: limitText(value) }))
  const isLate = Number(notice_days) >= Number(days)
  return (
    <div className={styles.line}>
      <NativeSelect
        label={t`Limit for`}
        data={[...options, { value: ofGroup, label: t`Members of a group` }]}
        value={who}
        onChange={({ currentTarget: { value } }) => onChange({ who: value })}
      />
      {who === ofGroup && (
        <TextInput
          label={t`Group name`}
          required
          maxLength={128}
          autoComplete="off"
          value={group}
          onChange={({ currentTarget: { value } }) => onChange({ group: value })}
        />
      )}
      <TextInput
        type="number"
        label={t`Days without use`}
        required
        min={2}
        max={3650}
        value={days}
        onChange={({ currentTarget: { value } }) => onChange({ days: value })}
      />
      <TextInput
        type="number"
        label={t`Notice, days before`}
        required
        min={1}
        max={365}
        error={isLate && t`Fewer than the days without use.`}
        value={notice_days}
        onChange={({ currentTarget: { value } }) => onChange({ notice_days: value })}
      />
      <CloseButton className={styles.remove ?? ''} aria-label={t`Remove this limit`} onClick={onRemove} />
    </div>
  )
}

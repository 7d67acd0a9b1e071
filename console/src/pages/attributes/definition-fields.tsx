import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Attribute } from 'rollbook/client'
import { type DefinitionValues, hasPattern, types } from '../../parts/attributes/attribute-values.ts'
import styles from './attributes.module.css'

type Props = { form: UseFormReturnType<DefinitionValues>; faults: Record<string, string>; isNew?: boolean }

export const definitionFields = [
  ...['name', 'label', 'type', 'options', 'pattern', 'minimum', 'maximum', 'max_length', 'editable_by'],
  ...['required', 'unique', 'searchable', 'in_token', 'in_header'],
]

export function useTypeNames(): Record<Attribute['type'], string> {
  const { t } = useLingui()
  return {
    string: t`Text`,
    number: t`Number`,
    boolean: t`Yes or no`,
    date: t`Day`,
    datetime: t`Date and time`,
    url: t`Web address`,
    email: t`Email address`,
    enum: t`One of several values`,
    'string[]': t`List of texts`,
  }
}

export function DefinitionFields({ form, faults, isNew = false }: Props) {
  const { t } = useLingui()
  const names = useTypeNames()
  const { type } = form.values
  return (
    <>
      {isNew && (
        <TextInput
          label={t`Name`}
          description={t`For programs: lower-case letters, digits and underscores. It cannot be changed later.`}
          required
          data-autofocus
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('name')}
          error={faults.name}
        />
      )}
      <TextInput
        label={t`Label`}
        description={t`Label shown in forms.`}
        maxLength={128}
        autoComplete="off"
        {...(!isNew && { 'data-autofocus': true })}
        {...form.getInputProps('label')}
        error={faults.label}
      />
      <NativeSelect
        label={t`Type`}
        data={types.map((value) => ({ value, label: names[value] }))}
        {...form.getInputProps('type')}
        error={faults.type}
      />
      {type === 'enum' && (
        <Textarea
          label={t`Values`}
          description={t`One value per line, in the order in which forms list them.`}
          required
          rows={4}
          {...form.getInputProps('options')}
          error={faults.options}
        />
      )}
      {type === 'number' && (
        <div className={styles.pair}>
          <TextInput label={t`Minimum`} inputMode="decimal" {...form.getInputProps('minimum')} error={faults.minimum} />
          <TextInput label={t`Maximum`} inputMode="decimal" {...form.getInputProps('maximum')} error={faults.maximum} />
        </div>
      )}
      {hasPattern(type) && (
        <div className={styles.pair}>
          <TextInput
            label={t`Maximum length`}
            inputMode="numeric"
            {...form.getInputProps('max_length')}
            error={faults.max_length}
          />
          <TextInput
            label={t`Pattern`}
            placeholder="^[A-Z]{2}-\d+$"
            dir="ltr"
            spellCheck={false}
            {...form.getInputProps('pattern')}
            error={faults.pattern}
          />
        </div>
      )}
      <NativeSelect
        label={t`Who may edit the values`}
        data={[
          { value: 'admin', label: t`Administrators` },
          { value: 'user', label: t`Administrators and users themselves` },
          { value: 'nobody', label: t`Only identity providers and imports` },
        ]}
        {...form.getInputProps('editable_by')}
        error={faults.editable_by}
      />
      <Checks form={form} faults={faults} />
    </>
  )
}

function Checks({ form, faults }: Omit<Props, 'isNew'>) {
  const { t } = useLingui()
  const check = (name: 'required' | 'unique' | 'searchable' | 'in_token') => ({
    ...form.getInputProps(name, { type: 'checkbox' }),
    error: faults[name],
  })
  return (
    <>
      <fieldset className={styles.checks}>
        <legend>
          <Trans>Rules</Trans>
        </legend>
        <Checkbox label={t`Every user has a value`} {...check('required')} />
        <Checkbox label={t`No two users have the same value`} {...check('unique')} />
        <Checkbox
          label={t`Searchable`}
          description={t`Search finds its values, and filters by it are fast.`}
          {...check('searchable')}
        />
      </fieldset>
      <fieldset className={styles.checks}>
        <legend>
          <Trans>Passed on to the product</Trans>
        </legend>
        <Checkbox label={t`In access tokens`} {...check('in_token')} />
      </fieldset>
    </>
  )
}

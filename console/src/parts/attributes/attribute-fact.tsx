import { useLingui } from '@lingui/react/macro'
import type { Attribute } from 'rollbook/client'
import { Fact } from '../../ui/facts.tsx'
import { useValueText } from './value-text.ts'
import type { Value } from './values.ts'

type Props = {
  attribute: Attribute
  value: Value | undefined
  /** Whether the viewer may change other attributes. */
  mayWrite?: boolean
}

/** An attribute that the viewer cannot change. */
export function AttributeFact({ attribute: { label, editable_by }, value, mayWrite = true }: Props) {
  const { t } = useLingui()
  const textOf = useValueText()
  return (
    <Fact name={label} note={mayWrite && editable_by === 'nobody' && t`Only identity providers and imports change it.`}>
      {value === undefined ? t`Not set` : <bdi>{textOf(value)}</bdi>}
    </Fact>
  )
}

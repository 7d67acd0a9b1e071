/** A field that finds one of many records by its name, with a search of the service. */
import { useDebouncedValue } from '@mantine/hooks'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { type Choice, Combobox } from './combobox.tsx'

type Field = Omit<ComponentProps<typeof Combobox>, 'text' | 'onText' | 'choices' | 'onPick' | 'none' | 'opensEmpty'>

/** What a picker of one kind of records passes on from its own users. */
export type PickerField<Picked> = Omit<Field, 'placeholder'> & {
  chosen?: { name: string } | undefined
  onPick: (picked: Picked | undefined) => void
}

/** Undefined while they are read. */
export type Found<One> = { data: readonly One[] | undefined; isFetching: boolean }

type Props<One> = Field & {
  chosen: { name: string } | undefined
  onPick: (picked: One | undefined) => void
  /** Several are picked one after the other: the field is emptied for the next. */
  isForSeveral?: boolean
  /** The records whose names match, or the first ones if the text is empty. */
  useFound: (q: string) => Found<One>
  choicesOf: (found: readonly One[], q: string) => readonly (Choice & { record: One })[]
  /** Said if nothing matches. */
  noneOf: (q: string) => ReactNode
}

const pauseMs = 150
const nothing: readonly never[] = []

export function NamePicker<One extends { name: string }>(props: Props<One>) {
  const { chosen, onPick, isForSeveral = false, useFound, choicesOf, noneOf, ...field } = props
  const [text, setText] = useState(chosen?.name ?? '')
  const [chosenName, setChosenName] = useState(chosen?.name)
  // Chosen or cleared elsewhere: in the address, or by a button that clears all.
  if (chosen?.name !== chosenName) {
    setChosenName(chosen?.name)
    if (chosen !== undefined) setText(chosen.name)
    else if (text === chosenName) setText('')
  }
  // The name of the chosen record is no search.
  const q = text === chosen?.name ? '' : text.trim()
  const [query] = useDebouncedValue(q, pauseMs)
  const { data = nothing, isFetching } = useFound(query)
  return (
    <Combobox
      {...field}
      opensEmpty
      text={text}
      onText={(next) => {
        setText(next)
        if (chosen !== undefined) onPick(undefined)
      }}
      choices={query === q ? choicesOf(data, q) : nothing}
      onPick={({ record }) => {
        setText(isForSeveral ? '' : record.name)
        onPick(record)
      }}
      none={!isFetching && query === q && <p role="status">{noneOf(q)}</p>}
    />
  )
}

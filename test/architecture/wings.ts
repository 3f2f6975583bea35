// Counts how src is built: `npx -c 'node test/architecture/wings.ts'`. A room is a folder of a wing,
// or all faces of one. An arrow leads from a room to one that it imports; the longest chain of arrows
// has as many rooms as there are floors.
import { importsOf, roomOf, sourcesIn, targetOf, wingOf } from "./tree.ts";

const files = sourcesIn("src");
const imports = files.flatMap((file) =>
  importsOf(file).flatMap((statement) => {
    const to = targetOf(file, statement);
    return to === undefined ? [] : [{ from: file.path, to }];
  }),
);
const across = imports.filter(({ from, to }) => wingOf(from) !== wingOf(to));
const toFeatures = across.filter(({ to }) => wingOf(to) !== "platform");

type Place = (path: string) => string;

/** The rooms or wings, their arrows and their floors. */
function planOf(place: Place, paths: readonly string[]) {
  const arrows = new Map(paths.map((path) => [place(path), new Set<string>()]));
  for (const { from, to } of imports) {
    if (place(from) !== place(to) && arrows.has(place(to))) arrows.get(place(from))?.add(place(to));
  }
  const floors = new Map<string, number>();
  const floorOf = (one: string): number => {
    const below = [...(arrows.get(one) ?? [])].map(floorOf);
    return floors.getOrInsertComputed(one, () => 1 + Math.max(0, ...below));
  };
  return {
    places: arrows.size,
    arrows: [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0),
    floors: Math.max(...[...arrows.keys()].map(floorOf)),
  };
}

const wings = Map.groupBy(files, ({ path }) => wingOf(path));
const rows = [...wings].map(([wing, inside]) => {
  const plan = planOf(
    roomOf,
    inside.map(({ path }) => path),
  );
  return {
    wing,
    lines: inside.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0),
    rooms: plan.places,
    floors: plan.floors,
    arrows: plan.arrows,
    "imports of other wings": across.filter(({ from }) => wingOf(from) === wing).length,
    "but for platform's": toFeatures.filter(({ from }) => wingOf(from) === wing).length,
  };
});
console.table(rows);
const paths = files.map(({ path }) => path);
const [house, all] = [planOf(wingOf, paths), planOf(roomOf, paths)];
console.log(`${house.places} wings on ${house.floors} floors, ${house.arrows} arrows between them`);
console.log(`${all.places} rooms on ${all.floors} floors, ${all.arrows} arrows between them`);
console.log(
  `${imports.length} imports, ${across.length} across wings, ${toFeatures.length} of them not of platform`,
);

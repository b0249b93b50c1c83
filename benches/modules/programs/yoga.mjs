// a flex layout with 500 children and measure callbacks
import Yoga from 'yoga-layout';

const root = Yoga.Node.create();
root.setWidth(500);
root.setFlexDirection(Yoga.FLEX_DIRECTION_ROW);
root.setFlexWrap(Yoga.WRAP_WRAP);
const children = Array.from({ length: 500 }, (_, i) => {
  const child = Yoga.Node.create();
  child.setMeasureFunc(() => ({ width: 10 + (i % 50), height: 10 }));
  root.insertChild(child, i);
  return child;
});
root.calculateLayout(500, undefined, Yoga.DIRECTION_LTR);
const sum = children.reduce((all, c) => all + c.getComputedLeft() + 3 * c.getComputedTop(), 0);
console.log('RESULT', sum, root.getComputedHeight());

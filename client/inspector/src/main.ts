import "./style.css";

import { App } from "./app";
import { addKey } from "./keys";
import { start } from "./live";
import { ComparePanel } from "./panels/compare";
import { EditPanel } from "./panels/edit";
import { OperatePanel } from "./panels/operate";
import { PrimPanel } from "./panels/prim";
import { StagePanel } from "./panels/stage";
import { TimePanel } from "./panels/time";
import { ViewportPanel } from "./panels/viewport";
import { startTheme } from "./theme";

startTheme();
const viewport = new ViewportPanel();
addKey("f", "In the viewport: show the chosen prim", () => viewport.focus());
new App(document.getElementById("app")!, [new PrimPanel(), new TimePanel(), viewport, new ComparePanel(), new EditPanel(), new StagePanel(), new OperatePanel()]).run();
start();
